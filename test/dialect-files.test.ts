// Every spelling on the page of older spellings has a route file: it loads with the documented warning, and without it after a
// migration. Their effect on requests is tested in test/gateway/dialects.test.ts.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gateway } from '#test/command-line'
import { type DialectFile, dialectFiles } from '#test/dialect-files'
import { Folder } from '#test/folder'
import { keyStoreWith, testIdentity } from '#test/test-identity'

interface Finding {
  readonly file: string
  readonly pointer: string
  readonly message: string
}

const page = readFileSync(join(import.meta.dirname, '../docs/reference/older-spellings.md'), 'utf8')
const OLD =
  /deprecated|no effect|no longer used|is a decorator; write it|are both given|blanks at its ends|which is used so/

let folder: Folder
let files: readonly DialectFile[]

before(() => {
  folder = new Folder({})
  const { key, certificate } = testIdentity('localhost')
  for (const name of ['agent', 'client', 'verify', 'decrypt']) folder.write(`secrets/${name}`, 'open sesame')
  folder.write('secrets/keystore', 'changeit')
  folder.write('people.csv', 'username,fullname\n')
  folder.write('secrets/tls', `${key.export({ format: 'pem', type: 'pkcs8' })}${certificate}`)
  writeFileSync(folder.in('secrets/keystore.p12'), keyStoreWith('signing', 'server'))
  files = dialectFiles(folder.in('secrets/keystore.p12'))
  for (const [at, { route }] of files.entries()) folder.write(nameOf(at), JSON.stringify(route, null, 2))
})

after(() => folder[Symbol.dispose]())

function nameOf(at: number): string {
  return `config/routes/file-${String(at).padStart(3, '0')}.json`
}

/** Problems and warnings by file. */
async function validated(): Promise<(at: number) => { problems: Finding[]; warnings: Finding[] }> {
  const words = ['validate', '--without-secrets', '--json', '--instance', folder.path]
  const { stdout } = await gateway(words)
  const { problems, warnings } = JSON.parse(stdout) as { problems: Finding[]; warnings: Finding[] }
  return (at) => {
    const of = ({ file }: Finding) => file === folder.in(nameOf(at))
    return { problems: problems.filter(of), warnings: warnings.filter(of) }
  }
}

test('every spelling on the page has a file, and there are more than 150', () => {
  const rows = [...page.matchAll(/^\| \[(\w+)\]\([\w-]+\.md\) \| ([^|]*) \|/gm)]
  const listed = rows.flatMap(([, type, fields = '']) =>
    [...fields.matchAll(/`([^`]+)`/g)].map(([, field]) => `${type} ${field}`),
  )
  const ofTypes = listed.filter((id) => !id.startsWith('Route '))
  const known = new Set(files.map(({ id }) => id))
  assert.deepEqual(
    ofTypes.filter((id) => !known.has(id)),
    [],
  )
  assert.ok(files.length >= 150, `${files.length} files`)
})

/** The ids of files for which a check fails, with its message. */
function failures(check: (at: number, file: DialectFile) => void): string[] {
  return files.flatMap((file, at) => {
    try {
      check(at, file)
      return []
    } catch (error) {
      return [`${file.id}: ${(error as Error).message}`]
    }
  })
}

test('each file loads with a warning about its spelling', async () => {
  const found = await validated()
  const failed = failures((at, { warning }) => {
    const { problems, warnings } = found(at)
    assert.deepEqual(problems, [])
    assert.ok(
      warning === null || warnings.some(({ message }) => warning.test(message)),
      `no warning matches ${warning}: ${JSON.stringify(warnings)}`,
    )
  })
  assert.deepEqual(failed, [])
})

test('after a migration each file loads without that warning', async () => {
  const { code, stderr } = await gateway(['migrate', '--write', folder.path])
  assert.equal(code, 0, stderr)
  const found = await validated()
  const failed = failures((at, { isDecision }) => {
    const { problems, warnings } = found(at)
    assert.deepEqual(problems, [], folder.read(nameOf(at)))
    const old = warnings.filter(({ message }) => OLD.test(message))
    assert.equal(old.length > 0, isDecision, `${JSON.stringify(old)}\n${folder.read(nameOf(at))}`)
  })
  assert.deepEqual(failed, [])
})
