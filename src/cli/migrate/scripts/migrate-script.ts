import { syntax } from '@identity-gateway/groovy'
import { blockText, statementLines } from './migrate-statements.ts'
import { Migration } from './migration.ts'

/** Translates a Groovy script to TypeScript, with remarks for manual review. Throws GroovyCompileError if it does not parse. */
export function migrateScript(text: string, file: string): string {
  const script = syntax.parseScript(text, file)
  const migration = new Migration(
    script.methods.map(({ name }) => name),
    blockText,
  )
  for (const { position, name } of script.classes)
    migration.remark(position, `the class ${name} is to be written by hand`)
  const lines = migration.takeRemarks()
  const undeclared = undeclaredNames(script)
  if (undeclared.length > 0) lines.push(`let ${undeclared.join(', ')}`)
  for (const { name, parameters, body } of script.methods) {
    const list = parameters.map((each) => each.name).join(', ')
    const written = body === null ? '{}' : blockText(body, migration, true)
    lines.push(...migration.takeRemarks(), `async function ${name}(${list}) ${written}`)
  }
  lines.push(...statementLines(script.statements, migration, true))
  return `${lines.join('\n')}\n`
}

/** Names that are assigned without a declaration: variables of the binding in Groovy. */
function undeclaredNames(script: syntax.ScriptNode): string[] {
  const assigned = new Set<string>()
  const declared = new Set<string>()
  const visit = (node: unknown): void => {
    if (Array.isArray(node)) for (const each of node) visit(each)
    else if (typeof node === 'object' && node !== null && !(node instanceof Map)) {
      const part = node as {
        kind?: string
        target?: { kind?: string; name?: string }
        variables?: { name: string }[]
        parameters?: { name: string }[] | null
      }
      if (part.kind === 'assign' && part.target?.kind === 'variable') assigned.add(String(part.target.name))
      for (const { name } of [...(part.variables ?? []), ...(part.parameters ?? [])]) declared.add(name)
      for (const each of Object.values(part)) if (typeof each === 'object') visit(each)
    }
  }
  visit([script.statements, script.methods])
  return [...assigned].filter((name) => !declared.has(name))
}
