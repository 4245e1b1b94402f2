import { type AmService, AmServiceKind, FilterKind, StsContext } from '#contracts'
import { type Filter, respond } from '#http'
import type { Logger } from '#logging'
import {
  type Assign,
  config,
  converted,
  defineType,
  leftValue,
  oneOf,
  type Runtime,
  ref,
  runtime,
  string,
  withoutField,
} from '#schema'
import { recordDenied } from '../../lib/audit/decisions.ts'
import { implicitAmService } from '../../lib/deprecated-fields/implicit-am-service.ts'
import { accessManagerFailed } from '../lib/access-manager-failure.ts'
import { EVENTS } from '../log-events.ts'
import { stsUri, TranslationRefused, translateToken } from './translate-token.ts'

/** Turns an ID token into a SAML 2.0 assertion. */
export const TokenTransformationFilter = defineType({
  name: 'TokenTransformationFilter',
  kind: FilterKind,
  summary: 'Exchanges an ID token for a SAML 2.0 assertion at the access manager (STS).',
  provides: [StsContext],
  events: [EVENTS.TRANSFORMATION_FAILED],
  config: {
    amService: ref(AmServiceKind).meta({
      description: 'The access manager; its agent calls the security token service (STS) in its realm.',
    }),
    idToken: runtime('string').meta({ description: 'The ID token, such as `${attributes.openid.id_token}`.' }),
    instance: config(string({ nonEmpty: true })).meta({
      description: 'Name of the REST STS instance, which turns OpenID Connect into SAML 2.0.',
    }),
    target: leftValue().optional().meta({
      description: 'Target for a copy of `contexts.sts.issuedToken`, for expressions of older configurations.',
    }),
    from: config(oneOf(['OPENIDCONNECT']))
      .optional()
      .meta({ description: 'Kind of the given token.', replacement: 'leave it out: the instance decides' }),
    to: config(oneOf(['SAML2']))
      .optional()
      .meta({ description: 'Kind of the issued token.', replacement: 'leave it out: the instance decides' }),
  },
  migrations: [withoutField('from'), withoutField('to')],
  older: [
    converted(
      ['openamUri', 'realm', 'username', 'password', 'amHandler', 'ssoTokenHeader'],
      'amService',
      'use an AmService in amService, with the account as its agent and the password in a secret store',
      ({ openamUri = null, realm, username = null, password = null, amHandler, ssoTokenHeader }) => ({
        amService: implicitAmService({
          url: openamUri,
          realm,
          amHandler,
          cookieName: ssoTokenHeader,
          agent: { username, password, secretId: 'sts.password' },
        }),
      }),
    ),
  ],
  create: ({ amService, idToken, instance, target }, { logger }) =>
    transformToken({ amService, idToken, uri: stsUri(amService, instance), target, logger }),
})

interface Transformation {
  readonly amService: AmService
  readonly idToken: Runtime<string>
  readonly uri: string
  readonly target: Assign | undefined
  readonly logger: Logger
}

/** Adds the issued token to the contexts; a request whose token is refused gets 403. */
function transformToken({ amService, idToken, uri, target, logger }: Transformation): Filter {
  return async (exchange, next) => {
    const token = await idToken(exchange)
    let issued: string | TranslationRefused
    try {
      issued = token === null || token === '' ? NO_TOKEN : await translateToken(amService, uri, token, exchange)
    } catch (error) {
      return accessManagerFailed(error, { exchange, logger }, FAILURE)
    }
    if (typeof issued === 'string') {
      const extended = exchange.with(StsContext, { issuedToken: issued })
      await target?.(extended, null, issued)
      return next(extended)
    }
    logger.limited().info({ reason: issued.reason, ...exchange.ids }, 'ID token not transformed: the request gets 403')
    recordDenied(exchange, logger, issued.reason)
    return respond(403, { 'Cache-Control': 'no-store' }, 'The token of the request was not accepted.\n')
  }
}

const NO_TOKEN = new TranslationRefused('the request has no ID token')

const FAILURE = { event: EVENTS.TRANSFORMATION_FAILED, reason: 'token transformation failed' }
