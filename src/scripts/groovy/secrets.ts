// The binding `secrets`, and the secrets it returns.
import { type ClassInfo, classes, GroovyObject, type Maybe, suspend, type syntax } from '@identity-gateway/groovy'
import { MASKED, ScriptSecret, secretIdProblem } from '../script-secrets.ts'
import { callGateway } from './evaluation-host.ts'
import { extendWithHost, gatewayClass } from './host-class.ts'
import { convertHost, convertValue } from './host-values.ts'

export const SecretsClass = classes.declareClass('org.forgerock.openig.script.Secrets')
const SecretClass = gatewayClass('secrets.Secret')

/** The binding `secrets` of one evaluation. */
export class SecretsValue extends GroovyObject {
  get klass(): ClassInfo {
    return SecretsClass
  }
}

/** A secret; its value can not be read. */
export class SecretValue extends GroovyObject {
  readonly host: ScriptSecret

  constructor(host: ScriptSecret) {
    super()
    this.host = host
  }

  get klass(): ClassInfo {
    return SecretClass
  }
}

convertHost(ScriptSecret, (secret) => new SecretValue(secret))
convertValue(SecretValue, () => {
  throw new TypeError('a secret can not be passed to the gateway as data; pass it to SigningManager or a JWT builder')
})

extendWithHost(SecretsClass, {
  'get(String secretId): Secret': (_: SecretsValue, secretId: string): Maybe =>
    suspend(callGateway('secret', secretId)),
})

extendWithHost(SecretClass, {
  'getSecretId(): String': ({ host }: SecretValue) => host.secretId,
  'getStableId(): String': ({ host }: SecretValue) => host.stableId,
  'matches(String? text): boolean': ({ host }: SecretValue, text: string | null): Maybe =>
    suspend(callGateway('matches', host, text)),
  'toString(): String': () => MASKED,
})

/** Checks a call `secrets.get('id')`; an id that is computed is checked by the call. */
export function secretCallProblem({ name, args }: syntax.CallNode, missing: string | undefined): string | null {
  if (name !== 'get') return null
  if (missing !== undefined) return `secrets.get: ${missing}`
  const [id] = args
  if (args.length !== 1 || id?.kind !== 'literal' || typeof id.value !== 'string') return null
  const problem = secretIdProblem(id.value)
  return problem === null ? null : `secrets.get: ${problem}`
}
