import type { JsonObject, JsonValue } from '#json'
import { clearTextStore } from '#schema'

/** Fields of filters of OpenIG 4 and 5, which had the connection to the access manager themselves. */
interface ConnectionFields {
  readonly url: JsonValue
  readonly realm?: JsonValue | undefined
  /** Further realm whose sessions count. */
  readonly sharedRealm?: JsonValue | undefined
  readonly amHandler?: JsonValue | undefined
  readonly cookieName?: JsonValue | undefined
  readonly agent?: { readonly username: JsonValue; readonly password: JsonValue; readonly secretId: string }
  readonly secretsProvider?: JsonValue | undefined
}

/** An AmService in place, without notifications (decisions 9). */
export function implicitAmService(fields: ConnectionFields): JsonObject {
  const { url, realm, sharedRealm, amHandler, cookieName, agent, secretsProvider } = fields
  return {
    type: 'AmService',
    config: {
      url,
      ...(realm !== undefined && { realm }),
      ...(sharedRealm !== undefined && { sharedRealms: [sharedRealm] }),
      ...(amHandler !== undefined && { amHandler }),
      ...(cookieName !== undefined && { ssoTokenHeader: cookieName }),
      ...(agent !== undefined && {
        agent: { username: agent.username, passwordSecretId: agent.secretId },
        secretsProvider: clearTextStore(agent.secretId, agent.password, secretsProvider),
      }),
      notifications: { enabled: false },
    },
  }
}
