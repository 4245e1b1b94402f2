import { CACHE_METRICS } from '#cache'
import {
  AmServiceKind,
  FilterKind,
  HandlerKind,
  LoginRedirectContext,
  PolicyDecisionContext,
  ResourceUriProviderKind,
} from '#contracts'
import type { Exchange } from '#http'
import type { JsonObject } from '#json'
import {
  atLeastOneOf,
  boolean,
  byShape,
  config,
  converted,
  defineType,
  duration,
  isZeroDuration,
  leftValue,
  map,
  object,
  ref,
  renames,
  runtime,
  string,
  template,
  token,
  withoutField,
} from '#schema'
import { requestResource } from '../../lib/am/request-resource.ts'
import { maximumSizeField, strategyField, sweeperField } from '../../lib/caching/cache.ts'
import { assignedTarget } from '../../lib/deprecated-fields/assigned-target.ts'
import { implicitAmService } from '../../lib/deprecated-fields/implicit-am-service.ts'
import { reportHeader } from '../../lib/messages/header-fields.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'
import { EVENTS } from '../log-events.ts'
import { DecisionCache } from './decision-cache.ts'
import { enforcePolicies } from './enforcement.ts'
import { EnforcementRequest, type EnforcementSettings } from './enforcement-request.ts'
import type { MapSource } from './evaluation-request.ts'

const valuesOrExpression = () => byShape({ object: map(template()), string: runtime('any') })

const CACHE_FIELD = object(
  {
    enabled: config(boolean()).default(false).meta({ description: 'Whether decisions are cached.' }),
    defaultTimeout: config(duration({ unlimited: false }))
      .optional()
      .meta({
        description:
          'How long a decision without a valid `ttl` is cached; 1 minute by default, 30 seconds with OpenAM, whose notifications get lost.',
      }),
    maximumTimeToCache: config(duration({ zero: false, unlimited: false }))
      .optional()
      .meta({
        description: 'Maximum time in the cache; by default the `ttl` of the decision, with OpenAM `defaultTimeout`.',
      }),
    maximumSize: maximumSizeField('decisions'),
    executor: sweeperField('decisions'),
    onNotificationDisconnection: strategyField('decisions'),
  },
  { older: renames({ maxTimeout: 'maximumTimeToCache' }) },
)
  .optional()
  .meta({
    description:
      'Cache of decisions. Without it every request causes an evaluation. Decisions with advices are never cached.',
  })

/** Enforces policy decisions of the access manager. */
export const PolicyEnforcementFilter = defineType({
  name: 'PolicyEnforcementFilter',
  kind: FilterKind,
  summary: 'Enforces policy decisions of the access manager.',
  provides: [PolicyDecisionContext],
  diverts: { failureHandler: [PolicyDecisionContext] },
  needs: [
    {
      context: LoginRedirectContext,
      field: 'ssoTokenSubject',
      consequence:
        'a decision with advices, such as a stronger login, is answered with 403, since no SingleSignOnFilter or CrossDomainSingleSignOnFilter before can lead users to that login',
    },
  ],
  metrics: CACHE_METRICS,
  events: [LIB_EVENTS.HEADER_LEFT_OUT, EVENTS.ADVICE_REPEATED, EVENTS.DECISION_UNAVAILABLE],
  config: {
    amService: ref(AmServiceKind).meta({ description: 'The access manager that evaluates policies.' }),
    pepRealm: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Realm of the policy set; that of amService by default.' }),
    ssoTokenSubject: runtime('string')
      .optional()
      .meta({ description: 'Session token of the subject, such as `${contexts.ssoToken.value}`.' }),
    jwtSubject: runtime('string').optional().meta({
      description: 'JWT of the subject, such as `${attributes.openid.id_token}`. It must have been verified before.',
    }),
    claimsSubject: valuesOrExpression().optional().meta({
      description: 'Claims about the subject: names to values, or an expression that returns a map. `sub` is required.',
    }),
    application: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Policy set to evaluate; by default that of the access manager.' }),
    cache: CACHE_FIELD,
    environment: valuesOrExpression()
      .optional()
      .meta({ description: 'Environment of the evaluation: names to values, or an expression that returns a map.' }),
    failureHandler: ref(HandlerKind)
      .optional()
      .meta({ description: 'Handles denied requests, with `contexts.policyDecision`; 403 by default.' }),
    resourceUriProvider: ref(ResourceUriProviderKind)
      .optional()
      .meta({ description: 'Returns the resource URI of a request; by default its URI with all query parameters.' }),
    authenticateResponseRequestHeader: config(token('a header name')).default('x-authenticate-response').meta({
      description:
        'Request header with which a client requests, by the value `HEADER`, advices in a header instead of a redirect.',
    }),
    useLegacyAdviceEncoding: config(boolean()).optional().meta({
      description: 'Whether advices are sent as XML, without encoding.',
      replacement: 'leave it out: the version of the access manager decides',
    }),
    target: leftValue().optional().meta({
      description: 'Target for a copy of the decision: `attributes` and `advices`.',
      replacement: 'use contexts.policyDecision',
    }),
  },
  migrations: [withoutField('useLegacyAdviceEncoding')],
  older: [
    converted(
      ['openamUrl', 'pepUsername', 'pepPassword', 'realm', 'amHandler', 'ssoTokenHeader'],
      'amService',
      'use an AmService in amService, with the password in a secret store, and pepRealm for the realm of the policy set',
      olderConnection,
      ['pepRealm'],
    ),
    converted(
      ['cacheMaxExpiration'],
      'cache',
      'use cache with enabled and maximumTimeToCache',
      ({ cacheMaxExpiration: time = null }) => ({
        cache: isZeroDuration(time)
          ? { enabled: false }
          : { enabled: true, defaultTimeout: time, maximumTimeToCache: time },
      }),
    ),
  ],
  rules: [atLeastOneOf('ssoTokenSubject', 'jwtSubject', 'claimsSubject')],
  check: ({ claimsSubject, authenticateResponseRequestHeader }, report) => {
    reportHeader(authenticateResponseRequestHeader, '', '/authenticateResponseRequestHeader', report)
    if (claimsSubject !== undefined && typeof claimsSubject !== 'function' && !Object.hasOwn(claimsSubject, 'sub'))
      report('/claimsSubject', 'expected the claim "sub", which names the subject')
  },
  migrate: assignedTarget('${contexts.policyDecision}'),
  create: (config, env) => {
    const { amService, cache, application = null, pepRealm } = config
    const realm = pepRealm ?? amService.realm
    const decisions = cache?.enabled === true ? new DecisionCache(amService, { realm, application }, cache, env) : null
    const settings: EnforcementSettings = {
      amService,
      realm,
      application,
      cache: decisions,
      sources: {
        ssoToken: config.ssoTokenSubject ?? null,
        jwt: config.jwtSubject ?? null,
        claims: sourceOf(config.claimsSubject),
        environment: sourceOf(config.environment),
      },
      failureHandler: config.failureHandler ?? null,
      resource: config.resourceUriProvider ?? requestResource({ includeQuery: true, useOriginalUri: false }),
      adviceHeaderName: config.authenticateResponseRequestHeader,
      target: config.target ?? null,
      legacyAdvices: config.useLegacyAdviceEncoding ?? false,
      logger: env.logger,
      clock: env.clock,
    }
    return (exchange, next) => enforcePolicies(new EnforcementRequest(exchange, next, settings))
  },
})

/** In OpenIG 4 and 5 `realm` is that of the policies, and `pepRealm` that of the agent, by default the same. */
function olderConnection(old: JsonObject, { pepRealm }: JsonObject): JsonObject {
  const { openamUrl = null, pepUsername = null, pepPassword = null, realm = '/' } = old
  return {
    amService: implicitAmService({
      url: openamUrl,
      realm: pepRealm ?? realm,
      sharedRealm: pepRealm === undefined || pepRealm === realm ? undefined : realm,
      amHandler: old['amHandler'],
      cookieName: old['ssoTokenHeader'],
      agent: { username: pepUsername, password: pepPassword, secretId: 'pep.password' },
    }),
    pepRealm: realm,
  }
}

type Evaluate = (exchange: Exchange) => unknown

function sourceOf(given: Evaluate | Readonly<Record<string, Evaluate>> | undefined): MapSource | null {
  if (given === undefined) return null
  return typeof given === 'function' ? { whole: given } : { map: given }
}
