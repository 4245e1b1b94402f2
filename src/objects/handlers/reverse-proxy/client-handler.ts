import { HandlerKind } from '#contracts'
import { boolean, config, defineType } from '#schema'
import { checkProxySettings, PROXY_FIELDS, upstreamOf } from './proxy-settings.ts'

/** Sends requests for the gateway's own purposes; that no answer came back is for the caller to judge. */
export const ClientHandler = defineType({
  name: 'ClientHandler',
  kind: HandlerKind,
  summary: 'Sends requests to other services; a failure to reach them is thrown.',
  target: 'needs',
  config: {
    ...PROXY_FIELDS,
    disableRetries: config(boolean()).default(false).meta({
      description: 'True: no retries, whatever retries says.',
      replacement: 'leave retries out, which is the same',
    }),
  },
  check: checkProxySettings,
  create: ({ disableRetries, ...settings }, env) =>
    upstreamOf(disableRetries ? { ...settings, retries: undefined } : settings, env),
})
