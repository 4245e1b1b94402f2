import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isBindingName, type ScriptLanguage, ScriptSyntaxError } from '#scripts'
import { compileRealmProgram } from './program.ts'

function problemOf(text: string, language: ScriptLanguage = 'javascript'): string {
  try {
    compileRealmProgram({ language, text, file: 'my script.js', bindings: ['request', 'next'] })
  } catch (error) {
    if (error instanceof ScriptSyntaxError) return error.message
    throw error
  }
  return assert.fail(`${text} compiles`)
}

test('a syntax error has the line and column of the source', () => {
  assert.equal(problemOf('let x = ;'), "my script.js:1:9: Unexpected token ';'")
  assert.equal(problemOf('let y\n  let z = }\n'), "my script.js:2:11: Unexpected token '}'")
  assert.equal(problemOf('await x y'), "my script.js:1:9: Unexpected identifier 'y'")
})

test('unmatched brackets are reported at the end of the text', () => {
  const problem = 'unexpected end of the script: its brackets do not match'
  assert.equal(problemOf('let x\nreturn ['), `my script.js:2:9: ${problem}`)
  assert.equal(problemOf('if (x) {'), `my script.js:1:9: ${problem}`)
  assert.equal(problemOf('}'), `my script.js:1:2: ${problem}`)
})

test('a syntax error of TypeScript is shown at its line and column', () => {
  assert.match(problemOf('const x: = 1', 'typescript'), /^my script\.js:1:10: Unexpected token/)
  assert.match(problemOf('const y = 1\n\nconst x: = 1', 'typescript'), /^my script\.js:3:10: Unexpected token/)
})

test('TypeScript syntax that needs code generation is rejected', () => {
  assert.match(problemOf('enum Colour { Red }', 'typescript'), /^my script\.js:1:1: .*enum is not supported/)
  assert.match(problemOf('let a\nenum Colour {\n  Red\n}', 'typescript'), /^my script\.js:2:1: .*enum is not supported/)
})

test('types in a JavaScript script are rejected', () => {
  assert.match(problemOf('const x: number = 1'), /^my script\.js:1:7: /)
})

test('source that is not the body of one function is rejected', () => {
  for (const text of [
    '}',
    '{',
    '}}); (async function(){{',
    '}}, async function(){{',
    '}} + function(){{',
    'import "node:fs"',
  ]) {
    assert.ok(problemOf(text).length > 0)
  }
})

test('a script may declare variables with the names of bindings', () => {
  compileRealmProgram({
    language: 'javascript',
    text: 'const request = 1; let next',
    file: 'a.js',
    bindings: ['request', 'next'],
  })
})

test('only bindings that a script mentions are created', () => {
  const bindingsOf = (text: string) =>
    compileRealmProgram({ language: 'javascript', text, file: 'a.js', bindings: ['request', 'next'] }).bindings
  assert.deepEqual(bindingsOf('return 1'), [])
  assert.deepEqual(bindingsOf('return next.handle(request)'), ['request', 'next'])
  assert.deepEqual(bindingsOf('return \\u006eext'), ['request', 'next'])
})

test('names of bindings are identifiers that are not reserved words', () => {
  assert.deepEqual(['a', '_x$1', 'handler'].map(isBindingName), [true, true, true])
  assert.deepEqual(['', '1a', 'a-b', 'a b', 'class', 'await', 'eval', 'arguments', 'a){'].map(isBindingName), [
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
    false,
  ])
})

test('an import is rejected with its line and column, in JavaScript and TypeScript', () => {
  const problem = 'import() is not available in scripts; use http to get data, and args for settings'
  assert.equal(problemOf("await import('node:fs')"), `my script.js:1:7: ${problem}`)
  assert.equal(problemOf("// import('x')\nconst t = `${ import /* */ ('x') }`"), `my script.js:2:15: ${problem}`)
  assert.equal(problemOf("const x: unknown =\n  import('x')", 'typescript'), `my script.js:2:3: ${problem}`)
})

test('the word import is allowed in strings, comments, patterns and names', () => {
  for (const text of [
    "// import('x')\nreturn 'import(1)'",
    "/* import('x') */ return `import('x') ${1}`",
    "return /import\\('x'\\)/.test('x')",
    'return { import: 1 }.import',
    'return { import(x) { return x } }.import(2)',
    'const $import = 1, reimport = 2; return $import + reimport',
    'class A { static import() { return 1 } } return A.import()',
  ]) {
    assert.ok(compileRealmProgram({ language: 'javascript', text, file: 'x.js', bindings: [] }), text)
  }
  const text = "const x = null as unknown as typeof import('node:fs'); return x"
  assert.ok(compileRealmProgram({ language: 'typescript', text, file: 'x.ts', bindings: [] }))
})
