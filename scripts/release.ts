// npm run release -- --dry-run: the files of a release of the version in package.json, in `release/VERSION`, which git ignores:
// package, release notes, CycloneDX bill of materials and SHA-256 sums. Nothing is published. Without --dry-run the release notes
// also move from changes/ to CHANGELOG.md.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type BillOfMaterials, packageMaterials } from './bill-of-materials.ts'
import { changelogSection, readNotes } from './changelog.ts'
import { root } from './steps.ts'

const { values: options } = parseArgs({ options: { 'dry-run': { type: 'boolean' }, out: { type: 'string' } } })
const { name, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<string, string>
const directory = resolve(root, options.out ?? join('release', version as string))
const notes = readNotes(join(root, 'changes'))
if (notes.fragments.size === 0) fail('changes/ has no release notes: there is nothing to release')
const changelog = join(root, 'CHANGELOG.md')
const earlier = existsSync(changelog) ? readFileSync(changelog, 'utf8') : '# Changelog\n'
if (earlier.includes(`\n## ${version} (`))
  fail(`CHANGELOG.md has ${version} already; raise the version in package.json`)

rmSync(directory, { recursive: true, force: true })
mkdirSync(directory, { recursive: true })
npm(['pack', '--pack-destination', directory])
const listed = JSON.parse(
  npm(['sbom', '--workspaces=false', '--sbom-format', 'cyclonedx', '--package-lock-only']),
) as BillOfMaterials
const notices = readFileSync(join(root, 'THIRD-PARTY-NOTICES.md'), 'utf8')
const materials = packageMaterials(listed, name as string, notices)
write(`${name}-${version}.cdx.json`, `${JSON.stringify(materials, null, 2)}\n`)
const section = changelogSection(version as string, new Date().toISOString().slice(0, 10), notes)
write('RELEASE-NOTES.md', section)
const sums = readdirSync(directory)
  .toSorted()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(directory, file)))
        .digest('hex')}  ${file}\n`,
  )
write('SHA256SUMS', sums.join(''))

if (options['dry-run'] !== true) {
  const [title, rest] = [earlier.slice(0, earlier.indexOf('\n') + 1), earlier.slice(earlier.indexOf('\n') + 1)]
  writeFileSync(changelog, `${title}\n${section}${rest}`)
  for (const file of ['SUMMARY', ...notes.fragments.keys()])
    rmSync(join(root, 'changes', `${file}.md`), { force: true })
}
console.log(`${relative(process.cwd(), directory)}: ${readdirSync(directory).toSorted().join(', ')}`)
console.log(`${notes.fragments.size} release notes, ${materials.components.length} components; nothing is published`)

function write(file: string, text: string): void {
  writeFileSync(join(directory, file), text)
}

/** Standard output of npm. */
function npm(args: readonly string[]): string {
  return execFileSync('npm', [...args, '--loglevel=error'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1_024 * 1_024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function fail(reason: string): never {
  console.error(`release: ${reason}`)
  process.exit(1)
}
