/** The nonce that the page's Content-Security-Policy allows for styles. */
export const CSP_NONCE = document.querySelector<HTMLMetaElement>('meta[name="csp-nonce"]')?.content ?? ''
