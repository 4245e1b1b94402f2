// Classes that few scripts use: their modules are loaded with the first script that names one of them.
import type { ClassInfo } from '../values/class-info.ts'
import { libraryClasses } from '../values/classes.ts'
import { ThrowableClass } from '../values/throwable.ts'
import { addExceptionConstructors } from './exception/exceptions.ts'

interface RareModule {
  /** Every class that it declares. */
  readonly names: readonly string[]
  readonly load: () => Promise<unknown>
}

/** Names of a package, separated by spaces. */
const within = (name: string, simple: string): readonly string[] => simple.split(' ').map((each) => `${name}.${each}`)

/** No other module imports these, and they extend no class but their own. */
const MODULES: readonly RareModule[] = [
  {
    names: [
      ...within('groovy.xml', 'XmlSlurper slurpersupport.GPathResult'),
      'groovy.util.XmlSlurper',
      ...within('org.xml.sax', 'SAXException SAXParseException'),
    ],
    load: () => import('./xml/xml-slurper.ts'),
  },
  {
    names: [
      ...within(
        'java.security.cert',
        'CertificateFactory Certificate X509Certificate CertificateException CertificateParsingException CertificateExpiredException CertificateNotYetValidException',
      ),
      'java.security.Principal',
      'javax.security.auth.x500.X500Principal',
    ],
    load: () => import('./security/certificates.ts'),
  },
  {
    names: [
      ...within(
        'javax.crypto',
        'Cipher AEADBadTagException BadPaddingException IllegalBlockSizeException NoSuchPaddingException',
      ),
      ...within('javax.crypto.spec', 'IvParameterSpec GCMParameterSpec OAEPParameterSpec PSource PSource$PSpecified'),
      ...within('java.security.spec', 'AlgorithmParameterSpec MGF1ParameterSpec'),
      'java.security.InvalidAlgorithmParameterException',
    ],
    load: () => import('./security/ciphers.ts'),
  },
  {
    names: within('java.security', 'Signature SignatureException'),
    load: () => import('./security/signatures.ts'),
  },
  {
    names: [
      'java.security.KeyFactory',
      ...within(
        'java.security.spec',
        'KeySpec PKCS8EncodedKeySpec X509EncodedKeySpec RSAPublicKeySpec InvalidKeySpecException',
      ),
    ],
    load: () => import('./security/key-factory.ts'),
  },
]

/** As scripts write it. */
const written = (name: string): string => name.replaceAll('$', '.')

/** Modules that are not loaded yet, by the names of their classes. */
const unloaded = new Map(MODULES.flatMap((each) => each.names.map((name) => [written(name), each] as const)))
const loaded = new Map<string, ClassInfo>()
/** Modules of classes that scripts have named. */
const wanted = new Set<RareModule>()

/** A rare class by its full name; null where it is to be loaded first. */
export function rareClass(name: string): ClassInfo | null {
  const module = unloaded.get(name)
  if (module !== undefined) wanted.add(module)
  return loaded.get(name) ?? null
}

/** Asks for rare classes with a simple name. */
export function wantRareClasses(simpleName: string): void {
  for (const name of unloaded.keys()) if (name.endsWith(`.${simpleName}`)) rareClass(name)
}

export const RARE_PACKAGES: readonly string[] = [...unloaded.keys()].map((name) => name.slice(0, name.lastIndexOf('.')))

/** The rare classes that are loaded. */
export function rareClasses(): Iterable<ClassInfo> {
  return loaded.values()
}

/** Loads all rare classes, for what lists or tests them. */
export async function loadRareClasses(): Promise<void> {
  for (const module of unloaded.values()) wanted.add(module)
  await loadWanted()
}

/**
 * The result of a function that compiles scripts: again, after classes were loaded which the scripts name, until there are none.
 */
export async function withRareClasses<Result>(compile: () => Result): Promise<Result> {
  for (;;) {
    let result: () => Result
    try {
      const compiled = compile()
      result = () => compiled
    } catch (error) {
      result = () => {
        throw error
      }
    }
    if (wanted.size === 0) return result()
    await loadWanted()
  }
}

async function loadWanted(): Promise<void> {
  const modules = [...wanted]
  wanted.clear()
  await Promise.all(modules.map(({ load }) => load()))
  const names = new Set(modules.flatMap((each) => each.names))
  for (const klass of libraryClasses()) {
    const name = written(klass.name)
    if (!names.has(klass.name) || loaded.has(name)) continue
    if (klass.isSubclassOf(ThrowableClass)) addExceptionConstructors(klass)
    loaded.set(name, klass)
    unloaded.delete(name)
  }
}
