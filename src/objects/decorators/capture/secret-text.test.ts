import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadTime } from '#test/loop-watch'
import { maskContent } from './secret-text.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hIn0.c2lnbmF0dXJl'

const FORM = 'application/x-www-form-urlencoded'
const contents: readonly [string, string, string][] = [
  [FORM, 'user=anna&password=a;b"c#d&x=1', 'user=anna&password=[redacted]&x=1'],
  [
    FORM,
    'client%5Fsecret=s&code=c&grant_type=authorization_code',
    'client%5Fsecret=[redacted]&code=[redacted]&grant_type=authorization_code',
  ],
  [FORM, 'IDToken1=anna&IDToken2=secret', 'IDToken1=[redacted]&IDToken2=[redacted]'],
  [
    'application/json',
    '{"user": "anna", "password" : "a\\"b", "n": 1}',
    '{"user": "anna", "password" : "[redacted]", "n": 1}',
  ],
  ['application/json', '{"pass\\u0077ord":"p"}', '{"pass\\u0077ord":"[redacted]"}'],
  [
    'application/json',
    '{"tokens":{"access_token":{"a":["}"]},"x":1}}',
    '{"tokens":{"access_token":"[redacted]","x":1}}',
  ],
  [
    'application/json',
    '{"token":["a","b"],"pin":1234,"secret":null}',
    '{"token":"[redacted]","pin":"[redacted]","secret":null}',
  ],
  [
    'application/json',
    '{"code":404,"message":"no \\"password\\": here"}',
    '{"code":404,"message":"no \\"password\\": here"}',
  ],
  ['application/json', '{"x":1,"access_token":"cut sho', '{"x":1,"access_token":"[redacted]"'],
  ['application/json', '{"x":1,"access_token":', '{"x":1,"access_token":"[redacted]"'],
  ['application/json', '{"location":"http://a/?token=abc&x=1"}', '{"location":"http://a/?token=[redacted]&x=1"}'],
  ['application/vnd.api+json', `{"x":"${JWT}"}`, '{"x":"[redacted]"}'],
  [
    'text/xml',
    '<a:password type="text">p</a:password><x>y</x>',
    '<a:password type="text">[redacted]</a:password><x>y</x>',
  ],
  ['application/soap+xml', '<user password="p" name="anna"/>', '<user password="[redacted]" name="anna"/>'],
  [
    'text/html',
    '<input value=\'abc\' name=\'SAMLResponse\'><input name="code" value="c">',
    '<input value="[redacted]" name=\'SAMLResponse\'><input name="code" value="[redacted]">',
  ],
  ['text/plain', 'a=b password', 'a=b password'],
]

for (const [type, text, expected] of contents) {
  test(`masks the secrets of ${type} ${text.slice(0, 60)}`, () => {
    assert.equal(maskContent(text, type), expected)
  })
}

test('masking takes linear time', () => {
  const hostile = [
    '\\"',
    '"a',
    '{"',
    '{"token":',
    '<',
    '<a ',
    '<a b="',
    'a',
    'a=',
    '?a',
    '&=',
    'eyJ',
    '//',
    '//a',
    ';a',
    'bearer ',
    '"token":{',
    ' ',
    "name='",
  ]
  for (const piece of hostile) {
    const text = piece.repeat(Math.ceil(524_288 / piece.length))
    for (const type of [FORM, 'application/json', 'text/html']) {
      const start = threadTime()
      maskContent(`<a ${text}`, type)
      maskContent(text, type)
      assert.ok(threadTime() - start < 2_000, `${JSON.stringify(piece)} as ${type}`)
    }
  }
})
