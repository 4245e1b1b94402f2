import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Uri } from '#http'
import { sameOriginGoto } from './same-origin-goto.ts'

const here = Uri.parse('https://app.example:8443/home')

test('paths and URLs of the same origin are accepted', () => {
  assert.equal(sameOriginGoto('/a/b?c=d#e', here), 'https://app.example:8443/a/b?c=d#e')
  assert.equal(sameOriginGoto('https://app.example:8443/x', here), 'https://app.example:8443/x')
  assert.equal(sameOriginGoto('HTTPS://APP.example:8443', here), 'https://app.example:8443/')
  assert.equal(
    sameOriginGoto('/login?goto=https://evil.example/', here),
    'https://app.example:8443/login?goto=https://evil.example/',
  )
})

test('B64: URLs that a browser could resolve to another origin are rejected', () => {
  for (const text of [
    '',
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'https://evil.example/',
    'https:evil.example',
    'https:/evil.example',
    'https:///evil.example',
    'https://app.example/',
    'http://app.example:8443/',
    'https://app.example:8443@evil.example/',
    'https://app.example:8443.evil.example/',
    'https://user@app.example:8443/',
    'javascript:alert(1)',
    'data:text/html,x',
    ' /a',
    '/a b',
    '/ä',
    'a/b',
    '?a',
    `/${'a'.repeat(5_000)}`,
  ])
    assert.equal(sameOriginGoto(text, here), null, JSON.stringify(text))
})

const corpus = join(import.meta.dirname, '../../../../../shared/corpora/url/openredirects.txt')

test('B64: no URL of the corpus of open redirects leads to another origin', {
  skip: existsSync(corpus) ? false : 'the corpora are not there',
}, () => {
  const lines = readFileSync(corpus, 'utf8').split('\n')
  assert.ok(lines.length > 100)
  for (const line of lines) {
    for (const text of [line, decoded(line), `/${line}`, `https://app.example:8443${line}`]) {
      const goto = sameOriginGoto(text, here)
      if (goto !== null) assert.equal(new URL(goto).origin, 'https://app.example:8443', text)
    }
  }
})

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
