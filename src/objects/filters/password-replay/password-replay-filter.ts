import { CONDITION_EVENTS, FilterKind } from '#contracts'
import { atLeastOneOf, condition, config, defineType, integer, list, object, ref, regex, string } from '#schema'
import { warnOfFraming } from '../../lib/messages/header-fields.ts'
import { HeaderValues } from '../../lib/messages/header-values.ts'
import { EVENTS as LIB_EVENTS } from '../../lib/messages/log-events.ts'
import { checkStaticRequest, requestBuilder, staticRequestFields } from '../../lib/messages/static-request.ts'
import { checkTextCipher, warnOfDes } from '../../lib/messages/text-cipher-fields.ts'
import { EVENTS } from '../log-events.ts'
import { HEADER_DECRYPTION_FIELD, headerDecryption } from './header-decryption.ts'
import { replayPassword } from './replay-password.ts'

/** Logs users in at an application by sending their credentials to its login page. */
export const PasswordReplayFilter = defineType({
  name: 'PasswordReplayFilter',
  kind: FilterKind,
  summary: 'Submits the credentials of a user to the login page of an application.',
  events: [LIB_EVENTS.HEADER_LEFT_OUT, EVENTS.PAGE_NOT_SEARCHED, CONDITION_EVENTS.FAILED],
  config: {
    loginPage: condition().optional().meta({
      description: "Whether the request is one for the login page, such as `${request.uri.path == '/login'}`.",
    }),
    loginPageContentMarker: regex().optional().meta({
      description: 'Pattern that is found in the content of a response only if it is the login page.',
    }),
    credentials: ref(FilterKind).optional().meta({
      description: 'Filter that gets the credentials, only when they are needed: FileAttributesFilter, for example.',
    }),
    headerDecryption: HEADER_DECRYPTION_FIELD,
    loginPageExtractions: list(
      object({
        name: config(string({ nonEmpty: true })).meta({ description: 'Name in `attributes.extracted`.' }),
        pattern: regex().meta({ description: 'Pattern with a group, whose text is the value.' }),
      }),
    )
      .default([])
      .meta({
        description:
          'Texts of the login page for the login request, such as a nonce: they are in `attributes.extracted`. The page is then requested first.',
      }),
    loginPageMaxCharsPerLine: config(integer({ min: 1 }))
      .optional()
      .meta({
        description: 'Maximum length of a line of the login page.',
        unsupported: 'patterns are searched in the whole content, within the limits of its size',
      }),
    request: object(staticRequestFields()).meta({
      description: 'The login request; its fields are those of StaticRequestFilter.',
    }),
  },
  rules: [atLeastOneOf('loginPage', 'loginPageContentMarker')],
  check: ({ request, loginPageExtractions, headerDecryption: decryption }, report, warn) => {
    warnOfFraming(Object.keys(request.headers), warn)
    if (decryption !== undefined) warnOfDes(decryption.algorithm, warn, '/headerDecryption/algorithm')
    checkStaticRequest(request, report, '/request')
    if (decryption !== undefined)
      checkTextCipher(decryption, (path, message) => report(`/headerDecryption${path}`, message))
    for (const [at, { pattern }] of loginPageExtractions.entries()) {
      if (pattern.parsed.groupCount < 1)
        report(
          `/loginPageExtractions/${at}/pattern`,
          'expected a group in the pattern, such as "value=\\"([^\\"]*)\\""',
        )
    }
  },
  create: (settings, env) => {
    const { request } = settings
    const { headerDecryption: decryption } = settings
    const entity = request.entity === undefined ? [] : [request.entity].flat()
    return replayPassword({
      loginPage: settings.loginPage ?? null,
      marker: settings.loginPageContentMarker ?? null,
      extractions: settings.loginPageExtractions,
      credentials: settings.credentials ?? null,
      decrypt: decryption === undefined ? null : headerDecryption(decryption, env),
      buildRequest: requestBuilder({ ...request, entity }, new HeaderValues(env)),
      logger: env.logger,
    })
  },
})
