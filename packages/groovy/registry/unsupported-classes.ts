/** Unsupported classes of the JVM, with the reason and the replacement. */
export interface UnsupportedClasses {
  /** Full names; a name that ends in a dot is a package prefix. */
  readonly names: readonly string[]
  readonly advice: string
}

/** Unsupported classes of the language. */
export const UNSUPPORTED_CORE_CLASSES: readonly UnsupportedClasses[] = [
  {
    names: ['java.lang.Runtime', 'java.lang.Process', 'java.lang.ProcessBuilder', 'java.lang.ProcessHandle'],
    advice: 'scripts can not start processes',
  },
  {
    names: [
      'java.lang.reflect.',
      'java.lang.invoke.',
      'java.lang.ClassLoader',
      'java.lang.Module',
      'java.lang.SecurityManager',
      'sun.',
      'jdk.',
      'com.sun.',
    ],
    advice: 'scripts can not use reflection or load classes; a class has only the properties name and simpleName',
  },
  {
    names: [
      'groovy.lang.GroovyShell',
      'groovy.lang.GroovyClassLoader',
      'groovy.util.Eval',
      'groovy.util.GroovyScriptEngine',
      'javax.script.',
      'org.codehaus.groovy.control.',
    ],
    advice:
      'scripts can not compile code at run time; put the code into the script, or into a class below scripts/groovy',
  },
  {
    names: [
      'groovy.lang.MetaClass',
      'groovy.lang.ExpandoMetaClass',
      'groovy.lang.GroovySystem',
      'groovy.util.Expando',
      'groovy.lang.DelegatingMetaClass',
    ],
    advice: 'classes can not be changed while scripts run; use a map, or a class with methods',
  },
  {
    names: ['groovy.grape.', 'groovy.lang.Grab'],
    advice: 'libraries can not be fetched; only the classes listed in the reference are available',
  },
  {
    names: ['java.lang.ThreadGroup', 'java.lang.ThreadLocal', 'java.util.concurrent.', 'java.util.Timer'],
    advice: 'scripts have no threads; a call that waits suspends the script without blocking the gateway',
  },
  {
    names: ['java.nio.file.'],
    advice: "scripts can not write files; read one of the instance with new File('path').text",
  },
  {
    names: ['java.io.FileInputStream', 'java.io.FileReader'],
    advice: "read a file of the instance with new File('path').text or .bytes",
  },
  {
    names: ['java.io.FileOutputStream', 'java.io.FileWriter', 'java.io.RandomAccessFile'],
    advice: 'scripts can not write files',
  },
  { names: ['java.util.Calendar', 'java.util.GregorianCalendar'], advice: 'use java.time, or Date' },
  {
    names: ['javax.naming.ldap.LdapName', 'javax.naming.ldap.Rdn'],
    advice: 'read a part of a name with a pattern: (name =~ /CN=([^,]+)/)',
  },
  {
    names: [
      'java.sql.',
      'javax.sql.',
      'groovy.sql.',
      'javax.naming.',
      'java.net.Socket',
      'java.net.ServerSocket',
      'java.nio.channels.',
    ],
    advice: 'scripts can not open connections; call a service over HTTP',
  },
]

/** The advice for a class, by its full or its simple name; null without one. */
export function adviceFor(name: string, unsupported: readonly UnsupportedClasses[]): string | null {
  const isSimple = !name.includes('.')
  for (const { names, advice } of unsupported) {
    const fits = names.some((each) =>
      isSimple
        ? each.slice(each.lastIndexOf('.') + 1) === name
        : each.endsWith('.')
          ? name.startsWith(each)
          : name === each,
    )
    if (fits) return advice
  }
  return null
}
