import { FilterKind, HandlerKind, secretsProvider } from '#contracts'
import { config, converted, defineType, listOrOne, ref, runtime, secretId, string, token, url } from '#schema'
import { reportHeader } from '../../lib/messages/header-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'
import { EVENTS } from '../log-events.ts'
import { authorizeWithSideband } from './authorize-with-sideband.ts'
import { SidebandApi } from './sideband-api.ts'

/** Authorizes requests and responses with PingAuthorize or PingOne Authorize. */
export const PingAuthorizeFilter = defineType({
  name: 'PingAuthorizeFilter',
  aliases: ['PingOneApiAccessManagementFilter'],
  kind: FilterKind,
  summary: 'Enforces decisions of PingAuthorize or PingOne Authorize on requests and responses (sideband API).',
  events: [LIB_EVENTS.HEADER_LEFT_OUT, EVENTS.SIDEBAND_FAILED],
  config: {
    gatewayServiceUri: config(url()).meta({ description: 'URL of the Sideband API, without `/sideband`.' }),
    secretsProvider: secretsProvider('the credential', 'fails'),
    gatewayCredentialSecretId: config(secretId()).meta({ description: 'Secret ID of the credential of the gateway.' }),
    includeBodyContentTypes: listOrOne(config(string({ nonEmpty: true })))
      .default([])
      .meta({
        description: 'Media types whose content is sent to the API, such as `application/json`; none by default.',
      }),
    sidebandHandler: ref(HandlerKind)
      .default('ForgeRockClientHandler')
      .meta({ description: 'Handler that sends requests to the API.' }),
    accessToken: runtime('any').optional().meta({
      description: 'Access token of the request for the API, such as `${contexts.oauth2.accessToken.info}`.',
    }),
    sharedSecretHeaderName: config(token('a header name'))
      .default('CLIENT-TOKEN')
      .meta({ description: 'Header field with the credential.' }),
  },
  older: [
    converted(
      ['includeBody'],
      'includeBodyContentTypes',
      'use includeBodyContentTypes with the media types, such as "application/json"',
      ({ includeBody = false }) => ({
        includeBodyContentTypes: includeBody === true || includeBody === 'true' ? ['application/json'] : [],
      }),
    ),
  ],
  check: ({ sharedSecretHeaderName, includeBodyContentTypes }, report) => {
    reportHeader(sharedSecretHeaderName, '', '/sharedSecretHeaderName', report)
    for (const [at, type] of includeBodyContentTypes.entries()) {
      if (!/^[\w.+-]+\/[\w.+-]+$/.test(type))
        report(
          `/includeBodyContentTypes/${at}`,
          `expected a media type such as "application/json", got ${JSON.stringify(type)}`,
        )
    }
  },
  create: (settings, env) => {
    const { gatewayServiceUri, secretsProvider, gatewayCredentialSecretId, sidebandHandler } = settings
    const api = new SidebandApi({
      uri: gatewayServiceUri.replace(/\/+$/, ''),
      handler: sidebandHandler,
      secrets: secretsProvider,
      secretId: gatewayCredentialSecretId,
      headerName: settings.sharedSecretHeaderName,
    })
    return authorizeWithSideband({
      api,
      contentTypes: new Set(settings.includeBodyContentTypes.map((type) => type.toLowerCase())),
      accessToken: settings.accessToken ?? null,
      logger: env.logger,
    })
  },
})
