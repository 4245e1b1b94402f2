// Classes that are loaded with the first script that names them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileProgram, coreLibrary, loadRareClasses, withRareClasses } from '../index.ts'
import { libraryClass, libraryClasses } from '../values/classes.ts'

const source = (text: string) => ({ text, file: 'test.groovy', library: coreLibrary() })
const compiled = (text: string) => withRareClasses(() => compileProgram(source(text)))

test('a class is loaded with the first script that names it, and not before', async () => {
  const before = libraryClasses().size
  await compiled('println "<a/>"')
  assert.equal(libraryClasses().size, before)
  assert.throws(() => compileProgram(source('new XmlSlurper()')), /unknown class XmlSlurper/)
  const program = await compiled('new XmlSlurper().parseText("<a><b>text</b></a>").b.text()')
  assert.equal(await program.run(), 'text')
  assert.ok(libraryClasses().size > before)
  assert.equal(libraryClass('Cipher'), undefined)
})

test('imports, with a star too, full names and exceptions in catch name a class', async () => {
  await compiled('import java.security.cert.*\nCertificateFactory.getInstance("X.509")')
  await compiled('javax.crypto.Cipher.getInstance("AES/GCM/NoPadding")')
  const program = await compiled(
    'try { throw new java.security.SignatureException("no") } catch (java.security.SignatureException e) { e.message }',
  )
  assert.equal(await program.run(), 'no')
})

test('a class without its import, and one that does not exist, are refused with the same messages', async () => {
  await assert.rejects(
    compiled('KeyFactory.getInstance("RSA")\nnew KeyFactory()'),
    /unknown class KeyFactory; did you mean java.security.KeyFactory\? It needs an import/,
  )
  await assert.rejects(compiled('new NoSuchThing()'), /unknown class NoSuchThing/)
})

test('all names of the table are declared, and tables find each class by its simple name', async () => {
  const eager = new Set(libraryClasses())
  const listed = coreLibrary().allClasses().size
  await loadRareClasses()
  const rare = [...libraryClasses()].filter((klass) => !eager.has(klass))
  assert.deepEqual(
    rare.filter((klass) => coreLibrary().find(klass.name.replaceAll('$', '.')) !== klass),
    [],
  )
  assert.equal(coreLibrary().allClasses().size, listed + rare.length)
})
