// Scripts have access only to the values and classes that are passed to them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileProgram, coreLibrary } from './index.ts'
import { runGroovy } from './testing/run-groovy.ts'

/** Attempts that are rejected before the script runs. */
const rejected: readonly string[] = [
  'this.class.classLoader',
  'this.getClass().getClassLoader()',
  "''.class.forName('java.lang.Runtime')",
  "Class.forName('java.lang.Runtime')",
  'Runtime.runtime.exec("id")',
  'Runtime.getRuntime()',
  'java.lang.Runtime.getRuntime().exec("id")',
  '"id".execute()',
  '["id"].execute()',
  '"id".execute().text',
  'Eval.me("1")',
  'groovy.util.Eval.me("1")',
  'new GroovyShell().evaluate("1")',
  'new groovy.lang.GroovyShell()',
  'new GroovyClassLoader()',
  'new ProcessBuilder("id").start()',
  'evaluate("1")',
  'String.metaClass.foo = { 1 }',
  "''.metaClass",
  "''.getMetaClass()",
  'x.metaClass',
  'x.setMetaClass(null)',
  "@Grab('a:b:1') import a.B",
  '@GrabConfig(systemClassLoader = true) def x',
  'Thread.currentThread().contextClassLoader',
  'new Thread({ }).start()',
  'System.exit(1)',
  'new File("/etc/passwd").delete()',
  'new FileOutputStream("/tmp/x")',
  'java.nio.file.Files.readAllBytes(null)',
  'new URLClassLoader([] as URL[])',
  'Class.class.getDeclaredMethods()',
  "String.class.getDeclaredMethod('length')",
  "String.class.getMethod('length')",
  'String.class.newInstance()',
  'String.newInstance()',
  'sun.misc.Unsafe.getUnsafe()',
  'javax.naming.InitialContext.doLookup("x")',
  'new javax.script.ScriptEngineManager()',
  'import java.lang.reflect.Method',
  'import sun.misc.*',
  'use(String) { }',
  "''.mixin(String)",
  'new groovy.sql.Sql()',
  'new Socket("x", 1)',
  'GroovySystem.version',
  "''.class.protectionDomain",
  'require("fs")\nRequire.x',
  'new Function("return 1")',
  'new Proxy(1, 2)',
  'Reflect.ownKeys(1)',
  'Promise.resolve(1)',
  'globalThis.process\nProcess.exit()',
]

for (const script of rejected) {
  test(`rejected at load: ${script.replaceAll('\n', ' ')}`, () => {
    assert.throws(() => compileProgram({ text: script, file: 'test.groovy', library: coreLibrary() }), {
      name: /^Groovy(?:Compile|Syntax)Error$/,
    })
  })
}

/** Expressions for values of every kind. */
const VALUES: readonly string[] = [
  "''",
  "'abc'",
  '"${1}"',
  '1',
  '1L',
  '1.5',
  '1.5d',
  '1.5f',
  '1g',
  'true',
  "('a' as char)",
  '[1, 2]',
  '([1] as Set)',
  '[a: 1]',
  '(1..3)',
  "('a'..'c')",
  '({ -> 1 })',
  'String',
  '([1] as int[])',
  '([1] as byte[])',
  'new Object()',
  "new Exception('x')",
  "('a' =~ /a/)",
  '(~/a/)',
  'new StringBuilder()',
  'new A()',
  'E.X',
  '[1].iterator()',
  '[a: 1].entrySet()',
  '[a: 1].find { true }',
  '({ it } as Runnable)',
  'this',
  'binding',
  "'abc'.&size",
  'new Runnable() { void run() { } }',
  'java.math.RoundingMode.UP',
]

/** Names with a meaning in JavaScript. */
const NAMES: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'toLocaleString',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  '__lookupGetter__',
  'klass',
  'elements',
  'fields',
  'captured',
  'modifications',
  'ownMethods',
  'extensible',
  'equalityKey',
  'writable',
  'caller',
  'callee',
  'apply',
  'bind',
  'then',
  'catch',
  'symbol',
  'buffer',
]

const DECLARATIONS = 'class A { }\nenum E { X }\n'

test('JavaScript properties and methods are not members of any value', async () => {
  const script = `${DECLARATIONS}
    def found = []
    def values = [${VALUES.map((value) => `{ -> ${value} }`).join(', ')}]
    values.eachWithIndex { make, i ->
      for (name in names) {
        def v = make()
        try {
          def got = v."$name"
          if (got != null) found << "$i.$name=$got"
        } catch (MissingPropertyException | NullPointerException e) { }
        try {
          found << "$i.$name()=" + v."$name"()
        } catch (MissingMethodException | NullPointerException e) { }
      }
    }
    found.join('; ')`
  const { coreLibrary: library, ListValue } = await import('./index.ts')
  const { text } = await runGroovy(script, {
    library: library(),
    variables: { names: new ListValue([...NAMES]) },
    limits: { timeout: 20_000 },
  })
  // Groovy itself defines `valueOf` for enums and classes.
  const allowed = text.split('; ').filter((each) => each !== '' && !/^\d+\.(?:valueOf)\(\)/.test(each))
  assert.deepEqual(allowed, [])
})

test('JavaScript property names are ordinary map keys and variable names', async () => {
  for (const name of NAMES.filter((each) => each !== 'catch')) {
    const script = `
      def m = [:]
      m['${name}'] = 1
      m.'${name}' += 1
      def other = [:]
      binding.setVariable('${name}', 5)
      [m, m.'${name}', other.'${name}', m.size(), ${name}, binding.hasVariable('${name}x')]`
    assert.equal((await runGroovy(script)).text, `[[${name}:2], 2, null, 1, 5, false]`, name)
  }
  assert.equal(Object.getPrototypeOf({}), Object.prototype)
})

test('JavaScript property names are allowed as names of class members', async () => {
  for (const name of NAMES.filter((each) => each !== 'catch')) {
    const script = `
      class B { def ${name} = 1; def get() { ${name} } }
      def b = new B(${name}: 7)
      b.${name} += 1
      [b.${name}, b.get(), new B().${name}]`
    assert.equal((await runGroovy(script)).text, '[8, 8, 1]', name)
    const methods = `class C { def ${name}(x) { x + 1 } }\nnew C().${name}(4)`
    assert.equal((await runGroovy(methods)).text, '5', name)
  }
})

test('undeclared JavaScript names are missing properties and methods', async () => {
  for (const name of NAMES.filter((each) => each !== 'catch' && each !== 'binding')) {
    await assert.rejects(runGroovy(name), { message: new RegExp(`No such property: ${name}`) }, name)
    await assert.rejects(runGroovy(`${name}(1)`), { message: /No signature of method/ }, name)
    await assert.rejects(
      runGroovy(`def c = { ${name} }; c()`),
      { message: new RegExp(`No such property: ${name}`) },
      name,
    )
  }
})

test('static members with JavaScript property names are missing', async () => {
  for (const name of NAMES.filter((each) => each !== 'catch' && each !== 'valueOf')) {
    const script = `try { def n = '${name}'; String."$n" } catch (MissingPropertyException e) { 'missing' }`
    assert.equal((await runGroovy(script)).text, 'missing', name)
  }
})

test('a script can not change a class of the library', async () => {
  const scripts = [
    'String.foo = 1',
    'def c = String; c.foo = { 1 }',
    'Math.PI = 3',
    'Integer.MAX_VALUE = 1',
    "def n = 'name'; String.\"$n\" = 'x'",
    "'abc'.length = 1",
    '[].class.name = "x"',
  ]
  for (const script of scripts) {
    await assert.rejects(runGroovy(script), { name: /^Groovy/ }, script)
  }
  assert.equal((await runGroovy('String.name + Integer.MAX_VALUE')).text, 'java.lang.String2147483647')
})

test('values of one evaluation are not visible in another', async () => {
  await runGroovy('x = 1; String.valueOf(x)')
  await assert.rejects(runGroovy('x'), { message: /No such property: x/ })
})
