import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listedVariables } from './listed-variables.ts'

const env = { HOME: '/x', APP_URL: 'u', APP_KEY: 'k', MY_APP_END: 'e', NONE: undefined }
const names = (list: readonly string[]) => [...listedVariables(list, env).keys()]

test('scripts see the variables of the environment that are listed, and no others', () => {
  assert.deepEqual(names([]), [])
  assert.deepEqual(names(['HOME', 'NONE', 'home', 'MISSING']), ['HOME'])
  assert.deepEqual(names(['APP_*']), ['APP_URL', 'APP_KEY'])
  assert.deepEqual(names(['*_APP_*D']), ['MY_APP_END'])
  assert.deepEqual(names(['A*P']), [])
  assert.deepEqual(names(['*']), ['HOME', 'APP_URL', 'APP_KEY', 'MY_APP_END'])
})
