import { FilterKind } from '#contracts'
import type { Filter } from '#http'
import { boolean, config, defineType } from '#schema'
import { warnOfFraming } from '../../lib/messages/header-fields.ts'
import { HeaderValues } from '../../lib/messages/header-values.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'
import {
  type BuildRequest,
  cancelStreamed,
  checkStaticRequest,
  requestBuilder,
  staticRequestFields,
} from '../../lib/messages/static-request.ts'

/** Replaces the request by a configured one. */
export const StaticRequestFilter = defineType({
  name: 'StaticRequestFilter',
  kind: FilterKind,
  summary: 'Replaces the request by a configured one.',
  target: 'sets',
  events: [LIB_EVENTS.HEADER_LEFT_OUT],
  config: {
    ...staticRequestFields(),
    restore: config(boolean()).default(true).meta({
      description: 'Whether earlier filters see the original request again with the response.',
    }),
  },
  check: (values, report, warn) => {
    warnOfFraming(Object.keys(values.headers), warn)
    checkStaticRequest(values, report)
  },
  create: ({ method, uri, headers, form, entity, restore }, env) => {
    const lines = entity === undefined ? [] : [entity].flat()
    const make = requestBuilder({ method, uri, headers, form, entity: lines }, new HeaderValues(env))
    return restore ? replaceDownstream(make) : replaceForAll(make)
  },
})

function replaceDownstream(make: BuildRequest): Filter {
  return async (exchange, next) => {
    const request = await make(exchange)
    cancelStreamed(exchange.request.body)
    return next(exchange.withRequest(request))
  }
}

function replaceForAll(make: BuildRequest): Filter {
  return async (exchange, next) => {
    const { method, uri, headers, body } = await make(exchange)
    const { request } = exchange
    request.body.cancel()
    Object.assign(request, { method, uri, headers, body })
    return next(exchange)
  }
}
