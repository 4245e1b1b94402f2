// Release notes and bill of materials; release.long.test.ts makes a whole release.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packageMaterials } from '../../scripts/bill-of-materials.ts'
import { changelogSection } from '../../scripts/changelog.ts'

test('release notes are grouped by area, one item for each fragment', () => {
  const fragments = new Map([
    ['sessions__redis', 'Sessions in Redis.\n'],
    ['management-api__audit', 'First line\nsecond line.\n\nA paragraph.\n'],
    ['management-api__audio', 'Other.\n'],
  ])
  assert.equal(
    changelogSection('1.2.3', '2026-11-16', fragments),
    [
      '## 1.2.3 (2026-11-16)\n\n### Management api\n\n- Other.\n- First line\n  second line.\n\n  A paragraph.\n',
      '### Sessions\n\n- Sessions in Redis.\n',
    ].join('\n'),
  )
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
