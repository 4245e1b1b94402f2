/** Fields that every configuration document has beside its own, with their descriptions. */
export const DOCUMENT_STRUCTURE = {
  heap: 'Objects that can be used by name.',
  properties: 'Values for expressions and tokens, by name.',
  globalDecorators: 'Decorations of every object of this document and of the documents below it.',
} as const
