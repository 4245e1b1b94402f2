import { HandlerKind } from '#contracts'
import { defineType } from '#schema'
import { checkProxySettings, PROXY_FIELDS, upstreamOf } from './proxy-settings.ts'

/** Sends requests for the gateway's own purposes; that no answer came back is for the caller to judge. */
export const ClientHandler = defineType({
  name: 'ClientHandler',
  kind: HandlerKind,
  summary: 'Sends requests to other services; a failure to reach them is thrown.',
  config: PROXY_FIELDS,
  check: checkProxySettings,
  create: upstreamOf,
})
