import {
  ACCESS_MANAGER_EVENTS,
  AdmittedRealms,
  AgentLogin,
  AgentSession,
  agentTokenKey,
  asAgent,
  callRest,
  Discovery,
  LOGOUT_LIMIT,
  RealmUris,
  SessionLookup,
} from '#access-manager'
import { CACHE_METRICS } from '#cache'
import {
  type AmService as AccessManager,
  AccessManagerError,
  AmServiceKind,
  HandlerKind,
  type SecretsProvider,
  secretsProvider,
} from '#contracts'
import type { Handler } from '#http'
import {
  clearText,
  config,
  defineType,
  duration,
  type Environment,
  list,
  object,
  ref,
  secretId,
  string,
  token,
  url,
} from '#schema'
import { reportSharedRealms, sharedRealmsField } from '../../lib/am/shared-realms.ts'
import type { NotifyingService } from '../../lib/caching/fallback-ttl.ts'
import { isRemoteInClear } from '../../lib/tls/remote-in-clear.ts'
import { NOTIFICATIONS_FIELD } from './notification-fields.ts'
import { openFeed } from './notification-setup.ts'
import { ServiceState } from './service-state.ts'
import { SESSION_CACHE_FIELD, SESSION_IDLE_REFRESH_FIELD } from './session-fields.ts'
import { openSessions } from './sessions.ts'

/** An access manager: agent session, notifications and session lookups. */
export const AmService = defineType({
  name: 'AmService',
  kind: AmServiceKind,
  summary: 'Connects to an access manager (PingAM, OpenAM) as an agent, and subscribes to its notifications.',
  metrics: [
    'gw_agent_failed_logins_total',
    'gw_agent_logins_total',
    'gw_agent_replayed_calls_total',
    'gw_notification_connected',
    'gw_notification_messages_total',
    'gw_notification_reconnects_total',
    'gw_notification_unreadable_total',
    ...CACHE_METRICS,
  ],
  events: [...Object.values(ACCESS_MANAGER_EVENTS)],
  config: {
    agent: object({
      username: config(string({ nonEmpty: true })).meta({ description: 'Name of the agent.' }),
      passwordSecretId: config(secretId()).meta({ description: 'Secret id of the password of the agent.' }),
      journey: config(string({ nonEmpty: true }))
        .optional()
        .meta({
          description:
            'Journey (tree) of the login of the agent. By default `Agent`, if that fails the module `Application`, and then the default login of the realm.',
        }),
    })
      .optional()
      .meta({
        description:
          'The account of the gateway at the access manager. Without it, and with notifications disabled, only a SingleSignOnFilter can use the service: it looks sessions up with their own tokens.',
      }),
    secretsProvider: secretsProvider('the password'),
    url: config(url()).meta({
      description: 'Base URL of the access manager, such as `https://am.example.com/am`.',
    }),
    realm: config(string({ nonEmpty: true }))
      .default('/')
      .meta({ description: 'Realm of the agent, and of sessions, tokens and policies.' }),
    sharedRealms: sharedRealmsField(
      'Other realms whose sessions and tokens count as well, such as `/alpha`; `*` for all. A session of any other realm is not accepted.',
    ),
    amHandler: ref(HandlerKind).default('ForgeRockClientHandler').meta({
      description: 'Handler that sends requests to the access manager; notifications use a separate connection.',
    }),
    callTimeout: config(duration({ zero: false, unlimited: false }))
      .default('5 seconds')
      .meta({
        description: 'Timeout of one call to the access manager; a request that needs it then gets 503.',
      }),
    notifications: NOTIFICATIONS_FIELD,
    sessionCache: SESSION_CACHE_FIELD,
    sessionIdleRefresh: SESSION_IDLE_REFRESH_FIELD,
    sessionProperties: list(config(string({ nonEmpty: true })))
      .optional()
      .meta({
        description: 'Session properties that filters can read; by default all that the access manager returns.',
      }),
    ssoTokenHeader: config(token('a header name')).optional().meta({
      description:
        'Name of the session cookie and of the header field for session tokens; by default that of the access manager.',
    }),
    version: config(string({ nonEmpty: true }))
      .optional()
      .meta({ description: 'Version to assume if the access manager does not return its own; 7.3 by default.' }),
  },
  older: [clearText('agent.password', 'agent.passwordSecretId', 'agent.password')],
  check: ({ url, sharedRealms, agent, notifications }, report, warn) => {
    if (isRemoteInClear(url))
      warn('the password of the agent and sessions of users are sent unencrypted over http; use https for url')
    const unknown = Object.keys(notifications.vertx).map((name) => JSON.stringify(name))
    if (notifications.enabled && unknown.length > 0)
      warn(`notifications.vertx: ${unknown.join(', ')}: no counterpart in this gateway; without effect`)
    if (agent === undefined && notifications.enabled)
      report('/agent', 'expected an object; it is required unless notifications.enabled is false')
    const { username, password, search, hash } = new URL(url)
    if (username !== '' || password !== '') report('/url', 'expected no name and password in the URL; use agent')
    else if (search !== '' || hash !== '') report('/url', 'expected no query and no fragment in the URL')
    reportSharedRealms(sharedRealms, report)
  },
  create: async (values, env): Promise<AccessManager> => {
    const uris = new RealmUris(values.url, values.realm)
    const admittedRealms = new AdmittedRealms(uris.realm, values.sharedRealms)
    const admitsRealm = (realm: string) => admittedRealms.admits(realm)
    const state = new ServiceState(env)
    const { session, agentHandler, discovery, password } = await openAgent(
      { ...values, uris, handler: values.amHandler, state },
      env,
    )
    const cookieName = () => discovery.cookieName()
    const dialect = () => discovery.dialect()
    const isServing = () => discovery.isServing()
    const notifications = await openFeed(
      { values: values.notifications, uris, session, state, cookieName, isServing },
      env,
    )
    // Warnings that depend on the version are given at load, if the server is up.
    if (notifications?.connected === true) await dialect()
    const lookup = new SessionLookup({
      uris,
      handler: values.amHandler,
      agentHandler: values.agent === undefined ? null : agentHandler,
      agentToken: () => session.token(),
      agent: values.agent?.username ?? null,
      properties: values.sessionProperties ?? null,
      callTimeout: values.callTimeout,
      logger: env.logger,
      admitsRealm,
      cookieName,
      dialect,
    })
    const { sessionCache: cache, sessionIdleRefresh: refresh } = values
    const source: NotifyingService = {
      notifications,
      get knownDialect() {
        return discovery.known
      },
      dialect,
    }
    return {
      url: uris.url,
      realm: uris.realm,
      admitsRealm,
      agent: values.agent?.username ?? '',
      agentHandler,
      handler: values.amHandler,
      callTimeout: values.callTimeout,
      agentTokenKey: async () => agentTokenKey(await password()),
      notifications,
      sessions: await openSessions({ lookup, cache, refresh, source }, env),
      restUri: (path, realm) => uris.rest(path, realm),
      oauth2Uri: (path, realm) => uris.oauth2(path, realm),
      cookieName,
      cookieDomains: () => discovery.cookieDomains(),
      dialect,
      get knownDialect() {
        return discovery.known
      },
    }
  },
})

interface AgentParts {
  readonly agent?:
    | { readonly username: string; readonly passwordSecretId: string; readonly journey?: string | undefined }
    | undefined
  readonly secretsProvider: SecretsProvider
  readonly uris: RealmUris
  readonly handler: Handler
  readonly callTimeout: number
  readonly ssoTokenHeader?: string | undefined
  readonly version?: string | undefined
  readonly state: ServiceState
}

async function openAgent(parts: AgentParts, env: Environment) {
  const { agent, secretsProvider: secrets, uris, handler, callTimeout, ssoTokenHeader, version, state } = parts
  const { clock, logger, metrics, name } = env
  const query = agent === undefined ? null : ({ secretId: agent.passwordSecretId, purpose: 'GENERIC' } as const)
  // A missing password is reported at load, not by the first request.
  if (query !== null) await secrets.active(query)
  const labels = { name }
  const password = async () => {
    if (query === null) throw new AccessManagerError('misconfigured', 'the AmService has no agent; configure one')
    try {
      return (await secrets.active(query)).revealText()
    } catch (cause) {
      throw new AccessManagerError('misconfigured', 'the password of the agent can not be read', { cause })
    }
  }
  const cookieName = () => discovery.cookieName()
  const login = new AgentLogin({
    uris,
    handler,
    username: agent?.username ?? '',
    journey: agent?.journey ?? null,
    callTimeout,
    logger,
    password,
    cookieName,
  })
  const session = new AgentSession({
    clock,
    logger,
    logins: metrics.counter('gw_agent_logins_total', 'Logins of the agent at the access manager.', labels),
    failedLogins: metrics.counter('gw_agent_failed_logins_total', 'Logins of the agent that failed.', labels),
    logIn: () => login.logIn(),
    loggedIn: (isSuccessful) => state.agent(!isSuccessful),
    logOut: async (token) => {
      const headers = { [await cookieName()]: token }
      const uri = uris.rest('sessions?_action=logout')
      const resource = discovery.assumed.family === 'pingam' ? '3.1' : '2.0'
      await callRest(handler, { method: 'POST', uri, resource, headers, body: {} }, Math.min(LOGOUT_LIMIT, callTimeout))
    },
  })
  const agentHandler = asAgent({
    handler,
    session,
    cookieName,
    replays: metrics.counter('gw_agent_replayed_calls_total', 'Calls sent again with a new session.', labels),
  })
  const discovery = new Discovery({
    uris,
    handler,
    agentHandler: agent === undefined ? handler : agentHandler,
    ssoTokenHeader: ssoTokenHeader ?? null,
    version: version ?? null,
    callTimeout,
    clock,
    logger,
  })
  env.onDispose(secrets.onChange(() => session.retry()))
  env.onDispose(() => session.close())
  return { session, agentHandler, discovery, password }
}
