import { providerOf } from '#contracts'
import { isPlainObject, parsePointer } from '#json'
import { type Field, fieldValuesIn, type Problem, type Secret, type SecretsProvider } from '#schema'

/** Result of looking up the secrets of an object. */
interface SecretFindings {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/**
 * Looks up every secret that the settled configuration of an object names, in the nearest `secretsProvider` and then in
 * the inherited stores, as objects do. The object checks the purpose of the secret.
 */
export async function lookUpSecrets(
  field: Field,
  settled: unknown,
  pointer: string,
  inherited: () => SecretsProvider,
): Promise<SecretFindings> {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  for (const found of fieldValuesIn(field, settled, pointer)) {
    const secretId = found.json
    if (typeof secretId !== 'string' || found.field.info.shape.namesSecret !== true) continue
    const own = nearestProvider(settled, parsePointer(found.pointer.slice(pointer.length)) ?? [])
    const provider = own === undefined ? inherited() : providerOf([own, inherited()])
    try {
      const secrets = await provider.find({ secretId, purpose: 'GENERIC' })
      if (secrets === null) {
        problems.push({ pointer: found.pointer, message: `no secret store knows the secret id "${secretId}"` })
      } else if (secrets.some(endsInLineBreak)) {
        const message = `the secret "${secretId}" ends in a line break, which is part of it; was that meant?`
        warnings.push({ pointer: found.pointer, message })
      }
    } catch (error) {
      problems.push({ pointer: found.pointer, message: (error as Error).message })
    }
  }
  return { problems, warnings }
}

/** The `secretsProvider` beside the secret id, or beside an object around it. */
function nearestProvider(settled: unknown, path: readonly string[]): SecretsProvider | undefined {
  let nearest: SecretsProvider | undefined
  let value = settled
  for (const name of path) {
    if (isPlainObject(value)) nearest = (value['secretsProvider'] as SecretsProvider | undefined) ?? nearest
    value = (value as Readonly<Record<string, unknown>>)[name]
  }
  return nearest
}

function endsInLineBreak(secret: Secret): boolean {
  if (secret.kind !== 'generic') return false
  const last = secret.revealBytes().at(-1)
  return last === 0x0a || last === 0x0d
}
