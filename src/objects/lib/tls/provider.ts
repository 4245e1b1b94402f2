import { providerOf, type SecretsProvider } from '#contracts'
import type { Environment } from '#schema'

/** The configured provider, else the secrets of the file and its parents. */
export function providerFor(
  own: SecretsProvider | undefined,
  { secrets }: Pick<Environment, 'secrets'>,
): SecretsProvider {
  return own === undefined ? secrets : providerOf([own, secrets])
}
