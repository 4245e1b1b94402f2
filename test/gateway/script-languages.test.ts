// The same tasks in scripts of each language, in a whole gateway and with real servers. Each document of script-habits has the
// scripts of one task, the requests and the one expected result; those of groovy-scripts are in Groovy only.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { nginxMissing } from '#test/nginx'
import { readHabits } from '#test/script-habit-documents'
import { ScriptHabitsSite } from '#test/script-habits'

const habits = readHabits(join(import.meta.dirname, 'script-habits'))
const scripts = readHabits(join(import.meta.dirname, 'groovy-scripts'))

describe('scripts with real servers', { skip: nginxMissing }, () => {
  let site: ScriptHabitsSite

  before(async () => {
    site = await ScriptHabitsSite.start([...habits, ...scripts])
  })

  after(() => site[Symbol.asyncDispose]())

  for (const [what, all] of [
    ['scripts of each language do the same', habits],
    ['scripts of other gateways run', scripts],
  ] as const) {
    describe(what, () => {
      for (const habit of all) {
        describe(habit.title, () => {
          for (const variant of habit.variants) test(variant.title, () => site.run(habit, variant))
        })
      }
    })
  }
})

test('each task has scripts in all languages', () => {
  for (const { id, variants } of habits) {
    const languages = new Set(variants.map(({ language }) => language))
    assert.deepEqual([...languages].sort(), ['groovy', 'javascript', 'typescript'], id)
  }
})
