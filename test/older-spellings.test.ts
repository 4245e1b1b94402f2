// The fields of other dialects that object types and files declare, as data.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CATALOGUE } from '#catalogue'
import { AdminDocument, RootDocument, RouteDocument } from '#instance'
import { type Field, loadTypes, type OlderSpelling } from '#schema'

interface Declared {
  readonly where: string
  readonly spelling: OlderSpelling
  readonly members: Readonly<Record<string, Field>>
}

const declared: Declared[] = []
for (const { name, config } of await loadTypes(CATALOGUE)) collect(config, name)
for (const [name, { fields }] of Object.entries({ AdminDocument, RootDocument, RouteDocument })) collect(fields, name)

function collect(field: Field, where: string): void {
  const { members = {}, older = [], inner, item, entries, branches } = field.info.shape
  for (const spelling of older) declared.push({ where, spelling, members })
  for (const [name, member] of Object.entries(members)) collect(member, `${where}.${name}`)
  for (const below of [inner, item, entries, ...(branches?.values() ?? [])]) {
    if (below !== undefined) collect(below, where)
  }
}

/** The field of a path such as `agent.password`, also of an entry of a map; undefined without one. */
function fieldAt(members: Readonly<Record<string, Field>>, path: string): Field | undefined {
  const [name = '', inner] = path.split('.')
  if (inner === undefined) return namedFieldAt(members, path)
  const shape = members[name]?.info.shape
  // The map may be that of an expression.
  return namedFieldAt(members, path) ?? shape?.entries ?? shape?.inner?.info.shape.entries
}

/** The same without entries of maps, which have any name. */
function namedFieldAt(members: Readonly<Record<string, Field>>, path: string): Field | undefined {
  const [name = '', inner] = path.split('.')
  const member = members[name]
  return inner === undefined || member === undefined ? member : member.info.shape.members?.[inner]
}

test('there are older spellings, and each is declared once in its object', () => {
  assert.ok(declared.length > 100, `${declared.length}`)
  const names = declared.flatMap(({ where, spelling }) => spelling.old.map((old) => `${where} ${old}`))
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  assert.deepEqual([...new Set(twice)], [])
})

test('an old name is no current field, and the current field of each spelling exists', () => {
  for (const { where, spelling, members } of declared) {
    for (const old of spelling.old)
      assert.equal(namedFieldAt(members, old), undefined, `${where}: ${old} is a current field`)
    for (const name of spelling.sets) assert.ok(Object.hasOwn(members, name), `${where}: there is no ${name}`)
    if (spelling.current !== null)
      assert.ok(fieldAt(members, spelling.current) !== undefined, `${where}: there is no ${spelling.current}`)
  }
})

test('the advice of each spelling continues a sentence', () => {
  for (const { where, spelling } of declared) {
    assert.match(spelling.advice, /^[^A-Z].*[^.]$/s, `${where}: ${spelling.old}`)
    assert.equal(spelling.hasEffect || spelling.current === null, true, `${where}: ${spelling.old}`)
  }
})
