import { SecretError } from '#contracts'
import type { UnitServices } from './unit-services.ts'

/** Creates an object. Where a check runs without the secrets, one that can not be created without them is replaced. */
export async function createdOrWithoutSecrets(
  { secretsAbsent = false }: Pick<UnitServices, 'secretsAbsent'>,
  create: () => Promise<unknown>,
): Promise<unknown> {
  try {
    return await create()
  } catch (error) {
    if (!secretsAbsent || !isCausedBySecret(error)) throw error
    return withoutItsSecrets(error)
  }
}

/** Objects may keep it and read its members; a call throws the error, so that an object whose `create` uses it is replaced too. */
function withoutItsSecrets(error: unknown): unknown {
  const refuse = () => {
    throw error
  }
  const absent: unknown = new Proxy(() => {}, {
    // A member `then` would make it a promise.
    get: (_target, name) => (name === 'then' ? undefined : absent),
    apply: refuse,
    construct: refuse,
  })
  return absent
}

function isCausedBySecret(error: unknown): boolean {
  return error instanceof SecretError || (error instanceof Error && error.cause instanceof SecretError)
}
