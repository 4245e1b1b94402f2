import { logEvents } from '#logging'

export const EVENTS = logEvents('GW_TELEMETRY', {
  SETTING_IGNORED: {
    message: 'a setting of OpenTelemetry has no effect',
    meaning:
      'A value of an OTEL_ variable, or of openTelemetry in admin.json, is not supported; the message names the one that is used. Traffic is not affected.',
    action: 'Correct the variable; the values are in docs/guide/observability.md.',
  },
  CLOSE_FAILED: {
    message: 'the connection to the collector could not be closed',
    meaning:
      'The collector did not end its connection in time. Telemetry that it did not accept is counted as dropped.',
    action: 'Nothing for a gateway that stops; otherwise check the collector.',
  },
  DELIVERY_FAILED: {
    message: 'telemetry can not be exported to the collector; it is queued, and sent again',
    meaning:
      'The collector is down, slow or refuses requests. Traffic is not affected; beyond OTEL_BSP_MAX_QUEUE_SIZE records are dropped and counted.',
    action: 'Check OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS and the state of the collector.',
  },
  EVENT_REFUSED: {
    message: 'the collector refused telemetry for good; it is dropped',
    meaning: 'The collector will never accept these records, because of their size for example. Others are exported.',
    action: 'Compare the limits of the collector with the records; the message has its reason.',
  },
  EVENT_TOO_LARGE: {
    message: 'telemetry records are too large and were dropped',
    meaning: 'Single records exceed the memory of the queue.',
    action: 'Report it with the configuration of the route.',
  },
  EVENTS_LOST: {
    message: 'telemetry could not be exported before the gateway stopped and is dropped',
    meaning: 'The collector did not accept the last records in the time of the shutdown.',
    action: 'Check the collector.',
  },
  QUEUE_FULL: {
    message: 'telemetry is dropped: the queue for the collector is full',
    meaning:
      'Further records are dropped and counted in `gw_telemetry_dropped_total` until the collector accepts records again. Traffic is not affected.',
    action: 'Check the collector; sample fewer traces, or raise OTEL_BSP_MAX_QUEUE_SIZE.',
  },
})
