import { createHash } from 'node:crypto'
import { type Response, respond } from './response.ts'

/** An HTML page of the gateway: a message and a link. */
export interface GatewayPage {
  readonly title: string
  readonly text: string
  readonly link: { readonly href: string; readonly label: string } | null
  /** Shown where the page is about a failure. */
  readonly transactionId?: string
  /** Code of the failure, for an operator. */
  readonly code?: string
}

// System colours, so that contrast, dark mode and forced colours follow the settings of the user.
const STYLE = [
  ':root{color-scheme:light dark}',
  'body{background:Canvas;color:CanvasText;margin:0;padding:12vh 1.25rem 2rem;font:1.0625rem/1.6 system-ui,sans-serif}',
  'main{max-width:40rem;margin:0 auto}',
  'h1{margin:0 0 1rem;font-size:1.75rem;line-height:1.25;overflow-wrap:anywhere}',
  'p>a:only-child{display:inline-block;padding:.4rem 1rem;border:1px solid;border-radius:.375rem;text-decoration:none}',
  'p>a:only-child:hover{text-decoration:underline}',
  '.id{margin-top:2rem;padding-top:1rem;border-top:1px solid color-mix(in srgb,CanvasText 25%,Canvas);',
  'font-size:.875rem;color:color-mix(in srgb,CanvasText 75%,Canvas)}',
  'code{font-family:ui-monospace,monospace;overflow-wrap:anywhere}',
].join('')

/** No resources, no scripts, no framing by other sites. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** Header fields of a page. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Referrer-Policy': 'no-referrer',
}

/** A response with a page of the gateway; all values are escaped. */
export function pageResponse(
  status: number,
  { title, text, link, transactionId, code }: GatewayPage,
  head = '',
): Response {
  const paragraphs = [`<p>${escapeHtml(text)}</p>`]
  if (link !== null) paragraphs.push(`<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.label)}</a></p>`)
  if (transactionId !== undefined) paragraphs.push(requestIdParagraph(transactionId, code))
  return respond(status, { ...PAGE_HEADERS }, pageHtml(title, paragraphs, head))
}

/** A document with a heading and paragraphs, which are HTML. */
export function pageHtml(title: string, paragraphs: readonly string[], head = ''): string {
  const shown = escapeHtml(title)
  return [
    '<!doctype html><html lang="en"><head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex">',
    `${head}<title>${shown}</title><style>${STYLE}</style></head>`,
    `<body><main><h1>${shown}</h1>${paragraphs.join('')}</main></body></html>\n`,
  ].join('')
}

/** The paragraph by which an operator finds the request in the log. */
export function requestIdParagraph(transactionId: string, code: string | null = null): string {
  const failure = code === null ? '' : `<br>Code: <code>${escapeHtml(code)}</code>`
  return `<p class="id">Request id: <code>${escapeHtml(transactionId)}</code>${failure}</p>`
}

/** Escapes text for HTML and attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
