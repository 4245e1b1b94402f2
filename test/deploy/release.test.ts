// Release notes and bill of materials; release.long.test.ts makes a whole release.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Folder } from '#test/folder'
import { packageMaterials } from '../../scripts/bill-of-materials.ts'
import { changelogSection, readNotes } from '../../scripts/changelog.ts'

test('release notes are grouped by chapter and area, one item for each fragment', () => {
  const fragments = new Map([
    ['sessions__redis', 'Sessions in Redis.\n'],
    ['management-api__audit', 'First line\nsecond line.\n\nSee [guide](../docs/guide/audit.md).\n'],
    ['uma-filter__shares', 'Shares.\n'],
    ...['a', 'b', 'c', 'd'].map((slug) => [`studio__${slug}`, `Page ${slug}.\n`] as const),
  ])
  assert.equal(
    changelogSection('1.2.3', '2026-11-16', { summary: 'All in all.\n', fragments }),
    [
      '## 1.2.3 (2026-11-16)\n\nAll in all.\n',
      '### Logins, tokens and policies\n\n- **Sessions:** Sessions in Redis.\n',
      '### Filters and other objects\n\n- **UMA filter:** Shares.\n',
      '### Management API and Studio\n',
      '- **Management API:** First line\n  second line.\n\n  See [guide](docs/guide/audit.md).\n',
      '#### Studio\n\n- Page a.\n- Page b.\n- Page c.\n- Page d.\n',
    ].join('\n'),
  )
})

test('a folder of release notes may have other files, and a summary', () => {
  using folder = new Folder({ 'changes/README.md': 'Nothing yet.\n', 'changes/SUMMARY.md': 'A summary alone.\n' })
  assert.equal(readNotes(folder.in('changes')).fragments.size, 0)
  assert.equal(readNotes(folder.in('changes')).summary, 'A summary alone.\n')
})

const development = [{ name: 'cdx:npm:package:development', value: 'true' }]
const component = (name: string, properties: typeof development = []) => ({
  'bom-ref': `${name}@1.0.0`,
  name,
  version: '1.0.0',
  properties,
})
const LISTED = {
  metadata: { component: { 'bom-ref': 'gateway@1.0.0', name: 'folder' } },
  components: [component('installed'), component('bundled', development), component('linter', development)],
  dependencies: [
    { ref: 'gateway@1.0.0', dependsOn: ['installed@1.0.0', 'bundled@1.0.0', 'linter@1.0.0'] },
    { ref: 'linter@1.0.0', dependsOn: [] },
  ],
}

test('the bill of materials has installed and bundled packages, and no development tools', () => {
  const materials = packageMaterials(LISTED, 'gateway', '# Notices\n\n## bundled 1.0.0 (MIT)\n')
  assert.deepEqual(
    materials.components.map(({ name }) => name),
    ['installed', 'bundled'],
  )
  assert.deepEqual(materials.components[1]?.properties, [{ name: 'cdx:npm:package:bundled', value: 'true' }])
  assert.deepEqual(materials.dependencies, [{ ref: 'gateway@1.0.0', dependsOn: ['installed@1.0.0', 'bundled@1.0.0'] }])
  assert.equal(materials.metadata.component.name, 'gateway')
})

test('a bundled package that npm does not list is an error', () => {
  assert.throws(() => packageMaterials(LISTED, 'gateway', '## other 2.0.0 (MIT)\n'), /other@2\.0\.0/)
})
