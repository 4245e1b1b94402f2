import type { HostEvaluations } from '../evaluation-port.ts'
import type { GatewayCall } from './messages.ts'
import type { RealmValues } from './values.ts'

/** The binding `secrets`. */
export interface RealmSecrets {
  secrets(callGateway: GatewayCall): object
}

/** Runs inside the realm. */
export function realmSecrets({ toRealm, toHost }: RealmValues, host: HostEvaluations): RealmSecrets {
  const masked = (): string => '[redacted]'

  const secretOf = (handle: unknown, secretId: string, callGateway: GatewayCall): object =>
    Object.freeze({
      secretId,
      signJwt: async (claims: unknown, options: unknown) =>
        callGateway('signJwt', handle, toHost({ claims: claims ?? null, options: options ?? {} })),
      verifyJwt: async (token: unknown) => toRealm(await callGateway('verifyJwt', handle, String(token))),
      matches: async (text: unknown) => callGateway('matches', handle, toHost(text ?? null)),
      toString: masked,
      toJSON: masked,
    })

  return {
    secrets: (callGateway) =>
      Object.freeze({
        get: async (secretId: unknown) => {
          const id = String(secretId)
          // Thrown here, the error has the location of the call.
          const problem = host.secretIdProblem(id)
          if (problem !== null) throw new TypeError(`secrets.get: ${problem}`)
          return secretOf(await callGateway('secret', id, null), id, callGateway)
        },
      }),
  }
}
