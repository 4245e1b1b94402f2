import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskText } from './mask-text.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl'

const texts: readonly [string, string][] = [
  ['http://a/b?x=1&access_token=abc&y=2', 'http://a/b?x=1&access_token=[redacted]&y=2'],
  ['http://a/b?ACCESS%5Ftoken=abc', 'http://a/b?ACCESS%5Ftoken=[redacted]'],
  ['http://a/cb#id_token=abc&code=def&state=s', 'http://a/cb#id_token=[redacted]&code=[redacted]&state=s'],
  ['http://a/b;jsessionid=abc?x=1', 'http://a/b;jsessionid=[redacted]?x=1'],
  ['http://a/b?x=1;token=abc;y=2', 'http://a/b?x=1;token=[redacted];y=2'],
  ['http://user:pass@a/b', 'http://[redacted]@a/b'],
  ['http://a/b?access_token=&x', 'http://a/b?access_token=&x'],
  ['<http://a/b?token=abc>; rel="next"', '<http://a/b?token=[redacted]>; rel="next"'],
  [`value ${JWT} end`, 'value [redacted] end'],
  ['Bearer 0123456789abcdef', 'Bearer [redacted]'],
  ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  ['http://a/b?%E0%A4%A=1&password=p', 'http://a/b?%E0%A4%A=1&password=[redacted]'],
]

for (const [text, expected] of texts) {
  test(`masks ${text} as ${expected}`, () => {
    assert.equal(maskText(text), expected)
  })
}
