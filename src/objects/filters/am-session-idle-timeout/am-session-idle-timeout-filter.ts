import { AmServiceKind, FilterKind, secretsProvider } from '#contracts'
import { config, defineType, duration, oneOf, ref, runtime, secretId } from '#schema'
import { EVENTS as LIB_EVENTS } from '../../lib/am/log-events.ts'
import { reportCookie, sessionCookieFields } from '../../lib/sessions/session-cookie.ts'
import { configuredKeys, ENCRYPTION_METHOD_FIELD, randomKeys } from '../../lib/sessions/symmetric-keys.ts'
import { EVENTS } from '../log-events.ts'
import { sessionIdleTimeout } from './session-idle-timeout.ts'

/** Ends sessions of the access manager that were idle for too long. */
export const AmSessionIdleTimeoutFilter = defineType({
  name: 'AmSessionIdleTimeoutFilter',
  kind: FilterKind,
  summary: 'Ends idle sessions of the access manager, by a tracker in a cookie.',
  events: [EVENTS.SESSION_LOOKUP_FAILED, LIB_EVENTS.SESSION_NOT_ENDED, LIB_EVENTS.SESSION_VALID_AFTER_LOGOUT],
  config: {
    amService: ref(AmServiceKind).meta({ description: 'The access manager of the sessions.' }),
    idleTimeout: config(duration({ zero: false, unlimited: false })).meta({
      description: 'Time without a request after which a session is ended.',
    }),
    idleTimeoutUpdate: config(oneOf(['ALWAYS', 'NEVER', 'INCREASE_ONLY', 'DECREASE_ONLY']))
      .default('ALWAYS')
      .meta({
        description: 'How `idleTimeout` replaces the timeout in a tracker that another filter has written.',
      }),
    sessionToken: runtime('string')
      .optional()
      .meta({ description: 'The session token; by default the session cookie of the access manager.' }),
    removeAmSessionFilter: ref(FilterKind).optional().meta({
      description: 'Filter that removes an ended session from the request; by default its cookie is removed.',
    }),
    encryptionSecretId: config(secretId()).optional().meta({
      description:
        'Secret ID of the symmetric keys of the tracker: the first encrypts, all decrypt. Without it a random key is generated, which is lost when the gateway stops.',
    }),
    secretsProvider: secretsProvider('the keys'),
    encryptionMethod: ENCRYPTION_METHOD_FIELD,
    cookie: sessionCookieFields('x-ig-activity-tracker').meta({ description: 'The cookie with the tracker.' }),
  },
  check: ({ cookie, encryptionSecretId }, report, warn) => {
    if (encryptionSecretId === undefined)
      warn('no encryptionSecretId: trackers are encrypted with a random key, which no other gateway can read')
    reportCookie(cookie, report)
  },
  create: async (settings, env) => {
    const { amService, idleTimeout, cookie, encryptionSecretId, encryptionMethod: method, secretsProvider } = settings
    const keys =
      encryptionSecretId === undefined
        ? await randomKeys(cookie.name, method, env)
        : await configuredKeys({
            secretId: encryptionSecretId,
            secretsProvider,
            method,
            pointer: '/encryptionSecretId',
          })
    return sessionIdleTimeout({
      amService,
      sessionToken: settings.sessionToken ?? null,
      idleTimeout,
      update: settings.idleTimeoutUpdate,
      keys,
      cookie,
      removeSession: settings.removeAmSessionFilter ?? null,
      clock: env.clock,
      logger: env.logger,
    })
  },
})
