import { CONDITION_EVENTS, FilterKind, maskHeaders, matches } from '#contracts'
import { condition, defineType, ignored } from '#schema'
import { captureFields } from './masks.ts'
import { Recorder } from './recorder.ts'

/** Logs requests and responses where it is in a chain, as in OpenIG 2 and 3. */
export const CaptureFilter = defineType({
  name: 'CaptureFilter',
  kind: FilterKind,
  summary: 'Logs requests and responses, with credentials masked.',
  replacement: 'use the decorator capture of the filter or handler at this position',
  events: [CONDITION_EVENTS.FAILED],
  config: {
    condition: condition().default('${true}').meta({ description: 'Requests for which it is true are logged.' }),
    ...captureFields(true),
  },
  older: [
    ignored('file', 'captured messages are in the log'),
    ignored('charset', 'the log is UTF-8'),
    ignored('format', 'log lines are structured'),
  ],
  create: (settings, { logger, onDispose }) => {
    onDispose(maskHeaders(settings.masks.headers))
    const recorder = new Recorder(settings, logger)
    return async (exchange, next) => {
      if (!(await matches(settings.condition, exchange, null, logger))) return next(exchange)
      await recorder.request('request', exchange)
      const response = await next(exchange)
      await recorder.response('response', exchange, response)
      return response
    }
  },
})
