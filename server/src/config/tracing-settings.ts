/** The exporter itself reads the endpoint, headers, timeout, compression and certificates. */
export interface TracingSettings {
  readonly isOn: boolean;
  /** The fraction of new traces that is sent. */
  readonly ratio: number;
  /** True if the service follows the sampling decision of the caller that began a trace. */
  readonly followsCaller: boolean;
  readonly readsTraceparent: boolean;
  readonly batch: {
    readonly scheduledDelayMillis: number;
    readonly maxQueueSize: number;
    readonly maxExportBatchSize: number;
    readonly exportTimeoutMillis: number;
  };
  /** Sentences about variables that are ignored. */
  readonly warnings: readonly string[];
}

type Environment = Readonly<Record<string, string | undefined>>;

const SAMPLERS = {
  always_on: { root: 'all', followsCaller: false },
  always_off: { root: 'none', followsCaller: false },
  traceidratio: { root: 'ratio', followsCaller: false },
  parentbased_always_on: { root: 'all', followsCaller: true },
  parentbased_always_off: { root: 'none', followsCaller: true },
  parentbased_traceidratio: { root: 'ratio', followsCaller: true },
} as const;
const DEFAULT_SAMPLER = 'parentbased_always_on';
const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'] as const;
const PROTOCOLS = ['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'OTEL_EXPORTER_OTLP_PROTOCOL'] as const;
const PROTOCOL = 'http/protobuf';

/** An invalid value is reported and ignored, as OpenTelemetry requires: the start goes on. */
export function readTracingSettings(environment: Environment): TracingSettings {
  const warnings: string[] = [];
  const warn = (sentence: string): void => void warnings.push(sentence);
  const isOn = isTracingOn(environment, warn);
  // If tracing is off, do not report invalid variables, which may be meant for other programs.
  const read = isOn ? environment : {};
  const propagators = listOf(read, 'OTEL_PROPAGATORS');
  const maxQueueSize = readInteger(read, 'OTEL_BSP_MAX_QUEUE_SIZE', 2_048, warn);
  return {
    isOn,
    ...readSampler(read, warn),
    readsTraceparent: propagators.length === 0 || propagators.includes('tracecontext'),
    batch: {
      scheduledDelayMillis: readInteger(read, 'OTEL_BSP_SCHEDULE_DELAY', 5_000, warn),
      maxQueueSize,
      maxExportBatchSize: Math.min(
        readInteger(read, 'OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512, warn),
        maxQueueSize,
      ),
      exportTimeoutMillis: readInteger(read, 'OTEL_BSP_EXPORT_TIMEOUT', 30_000, warn),
    },
    warnings,
  };
}

/** An endpoint or an exporter turns tracing on. The default endpoint is `http://localhost:4318`. */
function isTracingOn(environment: Environment, warn: (sentence: string) => void): boolean {
  if (textOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return false;
  const exporters = listOf(environment, 'OTEL_TRACES_EXPORTER');
  const endpoint = firstOf(environment, ENDPOINTS);
  if (exporters.length === 0 ? endpoint === null : exporters.includes('none')) return false;
  if (exporters.length > 0 && !exporters.includes('otlp')) {
    warn('OTEL_TRACES_EXPORTER must be otlp or none: no traces are sent');
    return false;
  }
  if (endpoint !== null && !/^https?:\/\//i.test(endpoint.value)) {
    warn(`${endpoint.name} must be a URL with http:// or https://: no traces are sent`);
    return false;
  }
  if (endpoint !== null && !URL.canParse(endpoint.value)) {
    warn(`${endpoint.name} is not a valid URL: no traces are sent`);
    return false;
  }
  const protocol = firstOf(environment, PROTOCOLS);
  if (protocol !== null && protocol.value !== PROTOCOL) {
    warn(
      `${protocol.name} must be ${PROTOCOL}, which collectors receive on port 4318: no traces are sent`,
    );
    return false;
  }
  return true;
}

function readSampler(
  environment: Environment,
  warn: (sentence: string) => void,
): { readonly ratio: number; readonly followsCaller: boolean } {
  const name = textOf(environment, 'OTEL_TRACES_SAMPLER') ?? DEFAULT_SAMPLER;
  if (!isSampler(name)) {
    const names = Object.keys(SAMPLERS).join(', ');
    warn(`OTEL_TRACES_SAMPLER must be one of ${names}. Using ${DEFAULT_SAMPLER} instead`);
    return { ratio: 1, followsCaller: true };
  }
  const { root, followsCaller } = SAMPLERS[name];
  if (root !== 'ratio') return { ratio: root === 'all' ? 1 : 0, followsCaller };
  const text = textOf(environment, 'OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const ratio = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (ratio >= 0 && ratio <= 1) return { ratio, followsCaller };
  warn('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1. Using 1 instead');
  return { ratio: 1, followsCaller };
}

function isSampler(name: string): name is keyof typeof SAMPLERS {
  return Object.hasOwn(SAMPLERS, name);
}

function readInteger(
  environment: Environment,
  name: string,
  byDefault: number,
  warn: (sentence: string) => void,
): number {
  const text = textOf(environment, name);
  if (text === null) return byDefault;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  warn(`${name} must be a whole number of 1 or more. Using ${byDefault} instead`);
  return byDefault;
}

function firstOf(
  environment: Environment,
  names: readonly string[],
): { readonly name: string; readonly value: string } | null {
  for (const name of names) {
    const value = textOf(environment, name);
    if (value !== null) return { name, value };
  }
  return null;
}

function listOf(environment: Environment, name: string): readonly string[] {
  const items = (textOf(environment, name) ?? '').split(',').map((item) => item.trim());
  return items.filter((item) => item !== '');
}

/** Returns the text of a variable, or null if it is unset or empty, as OpenTelemetry requires. */
function textOf(environment: Environment, name: string): string | null {
  const text = environment[name]?.trim() ?? '';
  return text === '' ? null : text;
}
