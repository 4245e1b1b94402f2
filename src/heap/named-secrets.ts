import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isPlainObject, parsePointer } from '#json'
import { fieldValuesIn, type Problem, type Secret, type SecretsProvider } from '#schema'
import type { Declaration } from './declaration.ts'
import { inConfig } from './located-problems.ts'

/** Result of looking up the secrets of an object. */
interface SecretFindings {
  readonly problems: readonly Problem[]
  readonly warnings: readonly Problem[]
}

/**
 * Looks up every secret that the settled configuration of an object names, in the nearest `secretsProvider`, as objects do; those
 * that are files, in the folder of secrets. The object checks the purpose of the
 * secret.
 */
export async function lookUpSecrets(
  declaration: Declaration,
  settled: unknown,
  inherited: () => SecretsProvider,
  folder: string,
): Promise<SecretFindings> {
  const problems: Problem[] = []
  const warnings: Problem[] = []
  for (const found of fieldValuesIn(declaration.definition.config, settled, '')) {
    const secretId = found.json
    if (typeof secretId !== 'string') continue
    const { namesSecret, namesSecretFile } = found.field.info.shape
    const at = inConfig(declaration)(found.pointer)
    if (namesSecretFile === true && !existsSync(join(folder, secretId)))
      problems.push({ pointer: at, message: `there is no file ${join(folder, secretId)}; write the secret to it` })
    if (namesSecret !== true) continue
    const provider = nearestProvider(settled, parsePointer(found.pointer) ?? []) ?? inherited()
    try {
      const secrets = await provider.find({ secretId, purpose: 'GENERIC' })
      if (secrets === null) {
        problems.push({ pointer: at, message: `no secret store knows the secret id "${secretId}"` })
      }
      const ending = secrets?.find(endsInLineBreak)
      if (ending !== undefined) warnings.push({ pointer: at, message: lineBreakWarning(ending) })
    } catch (error) {
      problems.push({ pointer: at, message: (error as Error).message })
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

function lineBreakWarning({ secretId, place }: Secret): string {
  const where = place === null ? '' : ` in ${place}`
  return `the secret "${secretId}"${where} ends in a line break, which is part of it; if that is not meant, write it again without one, with printf '%s'`
}

function endsInLineBreak(secret: Secret): boolean {
  if (secret.refusal('GENERIC') !== null) return false
  const bytes = secret.revealBytes()
  const last = bytes.at(-1)
  if (last !== 0x0a && last !== 0x0d) return false
  // A random key may end in such a byte.
  return secret.kind === 'generic' || bytes.every((byte) => byte >= 0x20 || byte === 0x0a || byte === 0x0d)
}
