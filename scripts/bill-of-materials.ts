/** The parts of a CycloneDX document of `npm sbom` that are used here. */
export interface BillOfMaterials {
  readonly metadata: { readonly component: { readonly name: string } & Record<string, unknown> } & Record<
    string,
    unknown
  >
  readonly components: readonly Component[]
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[]
}

interface Component {
  readonly 'bom-ref': string
  readonly name: string
  readonly version: string
  readonly properties?: readonly { readonly name: string; readonly value: string }[]
}

/**
 * The components of the package: those that npm installs with it, and packages whose code is in its bundles, which npm lists as
 * development dependencies. `notices` is THIRD-PARTY-NOTICES.md, which names the latter.
 */
export function packageMaterials(all: BillOfMaterials, name: string, notices: string): BillOfMaterials {
  const bundled = new Set(
    [...notices.matchAll(/^## (\S+) (\S+) \(/gm)].map(([, title, version]) => `${title}@${version}`),
  )
  const components = all.components
    .filter((component) => !isForDevelopment(component) || bundled.has(`${component.name}@${component.version}`))
    .map((component) => (isForDevelopment(component) ? asBundled(component) : component))
  const listed = new Set(components.map((component) => `${component.name}@${component.version}`))
  const missing = [...bundled].filter((each) => !listed.has(each))
  if (missing.length > 0) throw new Error(`packages of the bundles that npm does not list: ${missing.join(', ')}`)
  const references = new Set([
    ...components.map((component) => component['bom-ref']),
    `${all.metadata.component['bom-ref']}`,
  ])
  return {
    ...all,
    // npm takes the name of the folder.
    metadata: { ...all.metadata, component: { ...all.metadata.component, name } },
    components,
    dependencies: all.dependencies
      .filter(({ ref }) => references.has(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((each) => references.has(each)) })),
  }
}

const DEVELOPMENT = 'cdx:npm:package:development'

function isForDevelopment({ properties = [] }: Component): boolean {
  return properties.some(({ name, value }) => name === DEVELOPMENT && value === 'true')
}

function asBundled(component: Component): Component {
  const others = (component.properties ?? []).filter(({ name }) => name !== DEVELOPMENT)
  const properties = [...others, { name: 'cdx:npm:package:bundled', value: 'true' }]
  return { ...component, properties, scope: 'required' } as Component
}
