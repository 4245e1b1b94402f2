import { type Response, respond } from './response.ts'

/** An HTML page of the gateway: a message and a link. */
export interface GatewayPage {
  readonly title: string
  readonly text: string
  readonly link: { readonly href: string; readonly label: string } | null
}

/** No resources, no scripts, no framing by other sites. */
const POLICY = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

/** A response with a page of the gateway; all values are escaped. */
export function pageResponse(status: number, { title, text, link }: GatewayPage, head = ''): Response {
  const body = [
    `<h1>${escapeHtml(title)}</h1>`,
    `<p>${escapeHtml(text)}</p>`,
    link === null ? '' : `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>`,
  ].join('')
  return respond(
    status,
    {
      'Cache-Control': 'no-store',
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
    },
    `<!doctype html><html lang="en"><meta charset="utf-8">${head}<title>${escapeHtml(title)}</title>${body}</html>\n`,
  )
}

/** Escapes text for HTML and attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
