/** Snippets that behave differently on purpose, and why. */
export const differences: ReadonlyMap<string, string> = new Map([
  [
    "new groovy.json.JsonSlurper().parseText('[3000000000, 12345678901234567890, 1e3, -0.5, 1.50]').collect { [it, it.class.simpleName] }",
    'the real one lets whole numbers beyond 64 bits overflow; here they keep their value',
  ],
])
