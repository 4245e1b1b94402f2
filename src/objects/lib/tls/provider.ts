import { providerOf, type SecretsProvider } from '#contracts'
import type { Environment } from '#schema'

/** The provider of an object's own configuration, then what the secrets of the file and its parents hold. */
export function providerFor(
  own: SecretsProvider | undefined,
  { secrets }: Pick<Environment, 'secrets'>,
): SecretsProvider {
  return own === undefined ? secrets : providerOf([own, secrets])
}
