import { AmServiceKind } from '#contracts'
import { condition, config, ref, string } from '#schema'
import { redirectionMarkerField } from './redirection-marker.ts'

/** Fields of filters that send users to the login of an access manager. */
export const SIGN_ON_FIELDS = {
  amService: ref(AmServiceKind).meta({ description: 'The access manager where users log in.' }),
  authenticationService: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Journey or service of the login; by default that of the realm.' }),
  redirectionMarker: redirectionMarkerField(),
  logoutExpression: condition().optional().meta({ description: 'Requests for which it is true end the session.' }),
  defaultLogoutLandingPage: config(string({ nonEmpty: true }))
    .optional()
    .meta({ description: 'Redirect target after a logout; without it the request is passed on without a session.' }),
}
