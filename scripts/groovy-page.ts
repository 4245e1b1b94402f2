// docs/guide/groovy-classes.md, generated from the tables of the Groovy checker.
import { type ClassInfo, loadRareClasses } from '@identity-gateway/groovy'
import { gatewayLibrary } from '../src/scripts/groovy/gateway-library.ts'

/** Path of the page in the repository. */
export const GROOVY_PAGE = 'docs/guide/groovy-classes.md'

const INTRODUCTION = `<!-- Made by \`npm run generate\` from the tables in packages/groovy and src/scripts/groovy. Do not edit. -->

# Classes of Groovy scripts

What [scripts in Groovy](groovy.md) can use: every class with the members it declares; those of its parents and interfaces are there
too. \`getX()\` and \`setX(value)\` are also read and written as the property \`x\`. \`?\` marks parameters that take null. What is not listed
is refused when a script is loaded.
`

export async function groovyPage(): Promise<string> {
  await loadRareClasses()
  const all = [...gatewayLibrary.allClasses()].filter(isShown).sort((a, b) => (a.name < b.name ? -1 : 1))
  const packages = new Map<string, ClassInfo[]>()
  for (const each of all) {
    const name = packageOf(each)
    packages.set(name, [...(packages.get(name) ?? []), each])
  }
  const sections = [...packages].map(
    ([name, classes]) => `## ${name}\n\n| Class | Members |\n|---|---|\n${classes.map(row).join('\n')}\n`,
  )
  return [INTRODUCTION, ...sections].join('\n')
}

/** Excludes classes that scripts can not name. */
function isShown({ name, simpleName }: ClassInfo): boolean {
  return (
    !/\$(?:Linked|Unmodifiable|SubList)|NullObject|^array$/.test(name) &&
    !/^(?:View|DataMap|AddedContext)$/.test(simpleName)
  )
}

/** Classes of the gateway are accepted under any of their packages. */
function packageOf({ name }: ClassInfo): string {
  if (name.startsWith('org.forgerock.')) return 'org.forgerock, org.openidentityplatform'
  return name.slice(0, name.lastIndexOf('.'))
}

function row(klass: ClassInfo): string {
  const parents = [klass.parent, ...klass.interfaces].filter(
    (each): each is ClassInfo => each !== null && each.simpleName !== 'Object',
  )
  const above = parents.length === 0 ? '' : ` (${parents.map(({ simpleName }) => simpleName).join(', ')})`
  const members = membersOf(klass)
  return `| \`${klass.simpleName}\`${above} | ${members.length === 0 ? '' : members.map((each) => `\`${each}\``).join(' ')} |`
}

function membersOf(klass: ClassInfo): string[] {
  const methods = [klass.constructors, ...klass.ownMethods.values(), ...klass.ownStatics.values()].flat()
  const texts = methods
    .map(({ text }) => shown(text))
    .filter((text) => !/^(?:methodMissing|propertyMissing|invokeMethod)\(/.test(text))
  const constants = [...klass.ownStaticProperties.keys()].map((name) => `static ${name}`)
  const properties = [...klass.ownProperties.keys()]
  return [...new Set([...constants, ...properties, ...texts])]
}

/** A signature without the names of its parameters. */
function shown(text: string): string {
  return text
    .replace(/\(([^)]*)\)/, (_, list: string) => {
      const types = list.split(',').map((each) => each.trim().split(' ')[0])
      return `(${types.join(', ')})`
    })
    .replaceAll('|', '\\|')
}
