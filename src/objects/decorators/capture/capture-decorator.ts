import { DecoratorKind, FilterKind, HandlerKind, maskHeaders } from '#contracts'
import type { Filter, Handler } from '#http'
import { defineDecorator, wrap } from '#schema'
import { type CapturePoint, type CaptureWord, captureWords, chosenPoints } from './capture-points.ts'
import { captureFields } from './masks.ts'
import { Recorder } from './recorder.ts'

/** Logs requests and responses of a filter or handler. */
export const CaptureDecorator = defineDecorator({
  name: 'CaptureDecorator',
  kind: DecoratorKind,
  summary: 'Logs requests and responses of a filter or handler, with credentials masked.',
  config: captureFields(false),
  settings: captureWords().meta({
    description:
      'Where to capture: all, request, filtered_request, response, filtered_response, or none, which takes precedence over others.',
  }),
  create: (settings, env) => {
    env.onDispose(maskHeaders(settings.masks.headers))
    return {
      wraps: {
        Filter: wrap(FilterKind, (inner, words: CaptureWord[], { logger }) =>
          logger.isEnabled('info') ? captureFilter(inner, chosenPoints(words), new Recorder(settings, logger)) : inner,
        ),
        Handler: wrap(HandlerKind, (inner, words: CaptureWord[], { logger }) =>
          logger.isEnabled('info') ? captureHandler(inner, chosenPoints(words), new Recorder(settings, logger)) : inner,
        ),
      },
    }
  },
})

type Points = ReadonlySet<CapturePoint>

/** Filtered requests and responses are captured in the call of `next`. */
function captureFilter(inner: Filter, points: Points, recorder: Recorder): Filter {
  if (points.size === 0) return inner
  const captureNext = capturing(points, 'filtered_request', 'response', recorder)
  const captureOwn = capturing(points, 'request', 'filtered_response', recorder)
  return (exchange, next) => captureOwn((own) => inner(own, captureNext(next)))(exchange)
}

/** A handler has no filtered request and response. */
function captureHandler(inner: Handler, points: Points, recorder: Recorder): Handler {
  return capturing(points, 'request', 'response', recorder)(inner)
}

/** Captures before and after a handler; returns the handler itself without points. */
function capturing(
  points: Points,
  before: CapturePoint,
  after: CapturePoint,
  recorder: Recorder,
): (handler: Handler) => Handler {
  const [wantsRequest, wantsResponse] = [points.has(before), points.has(after)]
  if (!wantsRequest && !wantsResponse) return (handler) => handler
  return (handler) => async (exchange) => {
    if (wantsRequest) await recorder.request(before, exchange)
    const response = await handler(exchange)
    if (wantsResponse) await recorder.response(after, exchange, response)
    return response
  }
}
