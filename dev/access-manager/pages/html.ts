import { randomBytes } from 'node:crypto'
import type { EndpointResponse } from '../http/endpoint-response.ts'

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem}' +
  'label{display:block;margin:.5rem 0}input{width:100%;box-sizing:border-box;padding:.4rem}button{padding:.4rem 1rem}'

/** A complete page that may not be stored, framed, or extended by scripts. `body` is HTML. */
export function page(title: string, body: string, status = 200, script = ''): EndpointResponse {
  const nonce = randomBytes(16).toString('base64')
  const policy = `default-src 'none'; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'; frame-ancestors 'none'`
  const scripted = script === '' ? '' : `<script nonce="${nonce}">${script}</script>`
  return {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy,
      'Referrer-Policy': 'no-referrer',
    },
    body: `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escaped(title)}</title><style nonce="${nonce}">${STYLE}</style><h1>${escaped(title)}</h1>${body}${scripted}</html>\n`,
  }
}

/** Text escaped for HTML and attributes. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** A hidden field of a form. */
export function hidden(name: string, value: string): string {
  return `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`
}

export function redirect(location: string, headers: EndpointResponse['headers'] = {}): EndpointResponse {
  return { status: 302, headers: { Location: location, 'Cache-Control': 'no-store', ...headers }, body: null }
}
