// A run of all tests records the routes of its gateways (test/support/instance.ts), and runs this file after them.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPicture, isRoute } from '../test/check-picture.ts'

const folder = process.env['TEST_ROUTES']

test('every route of the tests has a picture of all its objects, and its text stays as it is', {
  skip: folder === undefined && 'no recorded routes: `npm test` without words records them',
}, () => {
  const routes = readdirSync(folder!)
    .map((name) => readFileSync(join(folder!, name), 'utf8'))
    .filter(isRoute)
  assert.ok(routes.length > 500, `${routes.length} routes`)
  for (const text of routes) {
    try {
      checkPicture(text)
    } catch (error) {
      throw new Error(`no picture of ${text}`, { cause: error })
    }
  }
})
