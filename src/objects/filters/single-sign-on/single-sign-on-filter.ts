import { CONDITION_EVENTS, FilterKind, LoginRedirectContext, SsoTokenContext } from '#contracts'
import { converted, defineType, renamed, runtime } from '#schema'
import { EVENTS as LIB_EVENTS } from '../../lib/am/log-events.ts'
import { implicitAmService } from '../../lib/deprecated-fields/implicit-am-service.ts'
import { redirectionMarker } from '../../lib/login/redirection-marker.ts'
import { SIGN_ON_FIELDS } from '../../lib/login/sign-on-fields.ts'
import { EVENTS } from '../log-events.ts'
import { SingleSignOnRequest, singleSignOn } from './single-sign-on-steps.ts'

/** Requires a session at the access manager, whose cookie the gateway can read. */
export const SingleSignOnFilter = defineType({
  name: 'SingleSignOnFilter',
  kind: FilterKind,
  summary: 'Requires a session at the access manager, or redirects to login.',
  provides: [SsoTokenContext, LoginRedirectContext],
  after: ['DataPreservationFilter'],
  events: [
    LIB_EVENTS.SESSION_NOT_ENDED,
    LIB_EVENTS.SESSION_VALID_AFTER_LOGOUT,
    EVENTS.SESSION_LOOKUP_FAILED,
    CONDITION_EVENTS.FAILED,
  ],
  config: {
    ...SIGN_ON_FIELDS,
    loginEndpoint: runtime('string').optional().meta({
      description:
        'URL of the login page; by default the access manager itself. `goto` and `realm` are added if it has none.',
    }),
  },
  older: [
    renamed('logoutEndpoint', 'logoutExpression'),
    converted(
      ['openamUrl', 'cookieName', 'realm', 'amHandler'],
      'amService',
      'use an AmService in amService, with ssoTokenHeader for the name of the cookie',
      ({ openamUrl = null, cookieName = 'iPlanetDirectoryPro', realm, amHandler }) => ({
        amService: implicitAmService({ url: openamUrl, realm, amHandler, cookieName }),
      }),
    ),
  ],
  create: (config, { clock, logger }) => {
    const settings = { ...config, marker: redirectionMarker(config.redirectionMarker, clock) }
    return (exchange, next) => singleSignOn(new SingleSignOnRequest(exchange, next, settings, logger))
  },
})
