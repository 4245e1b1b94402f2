import { FilterKind, secretsProvider } from '#contracts'
import { boolean, config, defineType, secretId, string } from '#schema'
import { basicAuthentication, usernameProblem } from '../../lib/outbound-auth/basic-credentials.ts'

/** Authenticates the gateway with a user name and a password. */
export const HttpBasicAuthenticationClientFilter = defineType({
  name: 'HttpBasicAuthenticationClientFilter',
  kind: FilterKind,
  summary: 'Authenticates requests of the gateway itself with HTTP Basic.',
  config: {
    username: config(string({ nonEmpty: true })).meta({ description: 'The user name.' }),
    passwordSecretId: config(secretId()).meta({ description: 'Secret ID of the password, a `GenericSecret`.' }),
    secretsProvider: secretsProvider('the password', 'fails'),
    urlEncodeCredentials: config(boolean()).default(false).meta({
      description:
        'Whether name and password are form-urlencoded first, as OAuth 2.0 requires of clients (RFC 6749 section 2.3.1).',
    }),
  },
  check: ({ username, urlEncodeCredentials }, report) => {
    const problem = urlEncodeCredentials ? null : usernameProblem(username)
    if (problem !== null) report('/username', problem)
  },
  create: ({ username, passwordSecretId, secretsProvider, urlEncodeCredentials }) =>
    basicAuthentication({
      username,
      passwordSecretId,
      secretsProvider,
      encoding: urlEncodeCredentials ? 'form' : 'plain',
    }),
})
