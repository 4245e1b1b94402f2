import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idOfFile, idProblem } from './route-id.ts'

test('a file of any name is imported under an id that a route may have', () => {
  const names = { 'shop.json': 'shop', 'a b.JSON': 'a-b', '.hidden.json': 'hidden', 'routes.txt': 'routes.txt' }
  for (const [name, id] of Object.entries(names)) assert.equal(idOfFile(name), id)
  for (const name of ['.json', '..json', '...json', '', 'default.json', 'con.json', '__proto__.json']) {
    assert.equal(idOfFile(name), 'imported', name)
  }
  assert.equal(idProblem(idOfFile(`${'x'.repeat(300)}.json`), []), null)
})
