import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './steps.ts'

/** Licences of the packages in the pages of the Studio, as Vite writes them (studio/vite.config.ts). */
const STUDIO_LICENSES = join(root, 'studio', 'dist', 'licenses.json')

/** A package whose code is part of ours. */
interface BundledPackage {
  readonly name: string
  readonly version: string
  /** SPDX identifier. */
  readonly identifier: string
  /** Missing where the package has no licence file. */
  readonly text?: string
}

interface Manifest {
  readonly name: string
  readonly version: string
  readonly license: string
}

/** Names, versions and licences of all packages in the bundles and in the pages of the Studio. */
export function thirdPartyNotices(inputs: readonly string[]): string {
  const ofStudio = JSON.parse(readFileSync(STUDIO_LICENSES, 'utf8')) as BundledPackage[]
  const byName = new Map(
    [...ofStudio, ...bundledPackages(inputs)].map((each) => [`${each.name} ${each.version}`, each]),
  )
  const sections = [...byName].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([title, each]) => section(title, each))
  return `# Third-party notices\n\nThis package contains code of the packages below.\n\n${sections.join('\n')}`
}

function section(
  title: string,
  { identifier, text = 'Without a licence file; its manifest names the licence.' }: BundledPackage,
): string {
  const lines = text.trim().split(/\r?\n/)
  return `## ${title} (${identifier})\n\n${lines.map((line) => `    ${line}`.trimEnd()).join('\n')}\n`
}

function bundledPackages(inputs: readonly string[]): BundledPackage[] {
  const folders = new Set(inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []))
  return [...folders].map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest
    const [file] = globSync('{LICEN[CS]E,licen[cs]e}*', { cwd: join(root, folder) })
    return {
      name: manifest.name,
      version: manifest.version,
      identifier: manifest.license,
      ...(file === undefined ? {} : { text: readFileSync(join(root, folder, file), 'utf8') }),
    }
  })
}
