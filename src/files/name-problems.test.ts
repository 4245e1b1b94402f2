import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOSTILE_NAMES, UNUSUAL_NAMES } from '#test/hostile-names'
import { nameProblems } from './name-problems.ts'

test('names that differ by case or Unicode form only are problems of the later one', () => {
  const pairs = [
    ['config/routes/Shop.json', 'config/routes/shop.json'],
    ['caf\u00e9.js', 'cafe\u0301.js'],
    ['CAFE\u0301.js', 'caf\u00e9.js'],
    ['stra\u00dfe', 'STRASSE'],
    ['\u03c2', '\u03a3'],
    ['scripts/A/x.js', 'scripts/a/x.js'],
  ] as const
  for (const [first, second] of pairs) {
    const problems = nameProblems([first, 'other', second])
    assert.deepEqual([...problems.keys()], [second])
    assert.ok(
      problems.get(second)?.startsWith(`the name differs from ${JSON.stringify(first)} by case or Unicode form`),
    )
  }
  assert.deepEqual([...nameProblems(['a', 'b', 'a/b', 'a', '\u00e9', 'e'])], [])
})

test('names with characters that reorder text, or are not shown, are problems', () => {
  for (const character of '\u202e\u202a\u2066\u2069\u200e\u200f\u061c\u200b\u2060\ufeff') {
    const problem = nameProblems([`a${character}nosj.js`])
      .values()
      .next().value
    assert.match(String(problem), /^the name has the character U\+[0-9A-F]{4}, .+; rename the file$/)
  }
  assert.deepEqual([...nameProblems(['a b.js', '\u4e2d\u6587.js', '\u0627.js', '-_.~'])], [])
})

test('names that other systems or readers take for another one are problems, in each part of a path', () => {
  for (const name of HOSTILE_NAMES) {
    for (const path of [`${name}.js`, `a/${name}.js`, `${name}.d/a.js`])
      assert.match(nameProblems([path]).get(path) ?? '', /^the name .+; rename the file$/, JSON.stringify(path))
  }
  for (const path of ['a.', 'a ', 'x./a.js']) assert.match(nameProblems([path]).get(path) ?? '', /ends with a dot/)
  for (const name of UNUSUAL_NAMES) assert.deepEqual([...nameProblems([`a/${name}.js`, `${name}/a.js`])], [], name)
})
