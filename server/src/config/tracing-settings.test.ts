import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTracingSettings } from './tracing-settings.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('the settings of traces (decision 0231)', () => {
  it('turn traces on if an endpoint or the exporter is set', () => {
    const on = [
      ENDPOINT,
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' },
      { OTEL_TRACES_EXPORTER: 'otlp' },
      { OTEL_TRACES_EXPORTER: 'console, otlp' },
      { ...ENDPOINT, OTEL_SDK_DISABLED: 'no' },
      { ...ENDPOINT, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
    ];
    for (const environment of on) {
      const { isOn, warnings } = readTracingSettings(environment);
      assert.deepEqual({ isOn, warnings }, { isOn: true, warnings: [] });
    }
  });

  it('leave traces off without a warning if they are not requested', () => {
    const off = [
      {},
      { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'of another program' },
      { OTEL_EXPORTER_OTLP_ENDPOINT: ' ' },
      { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' },
      { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
    ];
    for (const environment of off) {
      const { isOn, warnings } = readTracingSettings(environment);
      assert.deepEqual({ isOn, warnings }, { isOn: false, warnings: [] });
    }
  });

  it('leave traces off with a warning, which contains no value, if they cannot be sent', () => {
    const secret = 's3cret';
    const cases = {
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `user:${secret}@collector:4317`,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://user:${secret}@`,
    };
    for (const [name, value] of Object.entries(cases)) {
      const { isOn, warnings } = readTracingSettings({ ...ENDPOINT, [name]: value });
      assert.equal(isOn, false);
      assert.match(warnings.join(), new RegExp(`^${name} .*: no traces are sent$`));
      assert.doesNotMatch(warnings.join(), new RegExp(secret));
    }
  });

  it('accept the samplers of the specification', () => {
    const read = (name?: string, argument?: string): unknown => {
      const { ratio, followsCaller, warnings } = readTracingSettings({
        ...ENDPOINT,
        OTEL_TRACES_SAMPLER: name,
        OTEL_TRACES_SAMPLER_ARG: argument,
      });
      return [ratio, followsCaller, warnings.length];
    };
    assert.deepEqual(read(), [1, true, 0]);
    assert.deepEqual(read('always_on'), [1, false, 0]);
    assert.deepEqual(read('always_off'), [0, false, 0]);
    assert.deepEqual(read('traceidratio', '0.25'), [0.25, false, 0]);
    assert.deepEqual(read('parentbased_always_on', '0.25'), [1, true, 0]);
    assert.deepEqual(read('parentbased_always_off'), [0, true, 0]);
    assert.deepEqual(read('parentbased_traceidratio', '0'), [0, true, 0]);
    assert.deepEqual(read('traceidratio'), [1, false, 0]);
    for (const argument of ['1.1', '-1', 'half', '1e-1']) {
      assert.deepEqual(read('traceidratio', argument), [1, false, 1], argument);
    }
    assert.deepEqual(read('toString'), [1, true, 1]);
  });

  it('limit the queue, and report invalid numbers', () => {
    const read = (variables: Readonly<Record<string, string>>): unknown =>
      readTracingSettings({ ...ENDPOINT, ...variables }).batch;
    const standard = {
      scheduledDelayMillis: 5_000,
      maxQueueSize: 2_048,
      maxExportBatchSize: 512,
      exportTimeoutMillis: 30_000,
    };
    assert.deepEqual(read({}), standard);
    assert.deepEqual(read({ OTEL_BSP_MAX_QUEUE_SIZE: '100' }), {
      ...standard,
      maxQueueSize: 100,
      maxExportBatchSize: 100,
    });
    const odd = { ...ENDPOINT, OTEL_BSP_SCHEDULE_DELAY: '0', OTEL_BSP_EXPORT_TIMEOUT: 'soon' };
    assert.deepEqual(readTracingSettings(odd).batch, standard);
    assert.equal(readTracingSettings(odd).warnings.length, 2);
  });

  it('enable traceparent unless OTEL_PROPAGATORS omits tracecontext', () => {
    const reads = (propagators: string): boolean =>
      readTracingSettings({ ...ENDPOINT, OTEL_PROPAGATORS: propagators }).readsTraceparent;
    assert.ok(reads(''));
    assert.ok(reads('baggage, tracecontext'));
    assert.ok(!reads('none'));
    assert.ok(!reads('b3'));
  });
});
