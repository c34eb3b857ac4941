import type { Log } from '../base/log.ts';
import type { OpenedTracing } from '../base/tracing.ts';
import type { TracingSettings } from '../config/tracing-settings.ts';

/** Optional peer dependencies: 17 MB that most installations do not need (decision 0231). */
export const TRACING_PACKAGES = [
  '@opentelemetry/exporter-trace-otlp-proto@0.301',
  '@opentelemetry/resources@3.1',
  '@opentelemetry/sdk-trace@3.1',
];

/** Returns null if tracing is off. Warns and returns null if its packages are not installed. */
export async function openTracing(
  settings: TracingSettings,
  log: Log,
  warn: (sentence: string) => void,
): Promise<OpenedTracing | null> {
  for (const warning of settings.warnings) warn(warning);
  if (!settings.isOn) return null;
  try {
    const { OpenTelemetryTracing } = await import('./open-telemetry.ts');
    return new OpenTelemetryTracing(settings, log, warn);
  } catch (error) {
    if (!isPackageMissing(error)) throw error;
    const packages = TRACING_PACKAGES.join(' ');
    warn(
      `no traces are sent, because OpenTelemetry is not installed: run npm install ${packages} where cardport is installed`,
    );
    return null;
  }
}

function isPackageMissing(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    error.code === 'ERR_MODULE_NOT_FOUND' &&
    error.message.includes('@opentelemetry/')
  );
}
