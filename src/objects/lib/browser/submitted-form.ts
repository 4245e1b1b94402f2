import { createHash } from 'node:crypto'
import { Body, escapeHtml, Headers, Response } from '#http'

interface SubmittedForm {
  /** URL to which the form is posted. */
  readonly action: string
  /** Shown with a button where scripts are disabled. */
  readonly message: string
  /** Statement that runs before the form is sent; `form` is the form. Never from the request. */
  readonly prepare?: string
  /** Names of hidden fields. */
  readonly fields?: readonly string[]
}

/** A page with a form that sends itself. */
export function submittedForm({ action, message, prepare = '', fields = [] }: SubmittedForm): Response {
  const script = `const form = document.forms[0]; ${prepare} form.submit()`
  const hash = createHash('sha256').update(script).digest('base64')
  const inputs = fields.map((name) => `<input type="hidden" name="${escapeHtml(name)}" value="">`).join('')
  const html = `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Please wait</title></head><body>
<form method="post" action="${escapeHtml(action)}">${inputs}
<noscript><p>${escapeHtml(message)}</p><button type="submit">Continue</button></noscript></form>
<script>${script}</script></body></html>
`
  const headers = new Headers([
    ['Content-Type', 'text/html; charset=utf-8'],
    ['Cache-Control', 'no-store'],
    // With no-referrer browsers send `Origin: null` also to the same origin (Fetch, "append a request Origin header").
    ['Referrer-Policy', 'same-origin'],
    ['X-Content-Type-Options', 'nosniff'],
    // No form-action: browsers apply it to redirects after the form too, and these lead to the login page.
    [
      'Content-Security-Policy',
      `default-src 'none'; script-src 'sha256-${hash}'; frame-ancestors 'none'; base-uri 'none'`,
    ],
  ])
  return new Response(200, { headers, body: Body.of(html) })
}
