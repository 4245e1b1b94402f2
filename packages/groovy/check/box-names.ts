/** Names of the classes that hold values of primitive types. */
export const BOX_NAMES: ReadonlyMap<string, string> = new Map([
  ['boolean', 'Boolean'],
  ['byte', 'Byte'],
  ['char', 'Character'],
  ['double', 'Double'],
  ['float', 'Float'],
  ['int', 'Integer'],
  ['long', 'Long'],
  ['short', 'Short'],
])
