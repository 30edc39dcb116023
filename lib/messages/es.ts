import { es as applications } from './applications/es.js';
import type { Messages } from './en.js';

export const es: Messages = {
  ...applications,
  'layout.navigation': 'Aplicaciones',
  'layout.applications': 'Tus aplicaciones',
  'layout.loggedInAs': 'Has iniciado sesión como {user}',

  'login.title': 'Iniciar sesión',
  'login.username': 'Nombre de usuario',
  'login.password': 'Contraseña',
  'login.showPassword': 'Mostrar la contraseña',
  'login.hidePassword': 'Ocultar la contraseña',
  'login.submit': 'Iniciar sesión',
  'login.wrong': 'El nombre de usuario o la contraseña no son correctos.',
  'login.outOfDate':
    'Esta página ha estado abierta demasiado tiempo, o tu navegador no acepta cookies. Inicia sesión otra vez.',
  'login.already':
    'Ya has iniciado sesión como {user}, quizá en otra pestaña. Este formulario era anterior, así que no se ha usado.',
  'login.continueAs': 'Continuar como {user}',
  'login.asSomebodyElse': 'O inicia sesión con otra cuenta:',

  'logout.title': 'Cerrar sesión',
  'logout.heading': '¿Cerrar la sesión?',
  'logout.loggedInAs': 'Has iniciado sesión como {user}.',
  'logout.stay': 'Seguir conectado',
  'logout.submit': 'Cerrar sesión',

  'account.title': 'Elegir una cuenta',
  'account.chooseHeading': '¿Con qué cuenta quieres continuar?',
  'account.againHeading': 'Inicia sesión otra vez',
  'account.choose': '{client} pregunta cuál de tus cuentas en {site} debe usar.',
  'account.again': '{client} te pide que vuelvas a iniciar sesión en {site} para asegurarse de que eres tú.',
  'account.current': 'Has iniciado sesión como {user}.',
  'account.continueAs': 'Continuar como {user}',
  'account.another': 'Usar otra cuenta',
  'account.logInAgain': 'Iniciar sesión otra vez',
  'account.cancel': 'Cancelar',
  'account.outOfDate': 'Esta página no estaba al día, así que no se ha cambiado nada. Elige ahora.',

  'consent.title': '¿Permitir el acceso a {client}?',
  'consent.heading': '{client} quiere usar tu cuenta',
  'consent.loggedInAs': 'Has iniciado sesión en {site} como {user}.',
  'consent.notYou': '¿No eres tú?',
  'consent.verified': 'Verificada',
  'consent.verifiedMeaning': '{site} ha comprobado quién está detrás de esta aplicación.',
  'consent.unverified': 'No verificada',
  'consent.unverifiedMeaning':
    '{site} no ha comprobado quién está detrás de esta aplicación. Permite el acceso solo si la conoces y acabas de venir de ella.',
  'consent.deviceUnverifiedMeaning':
    '{site} no ha comprobado quién está detrás de esta aplicación. Permítelo solo si acabas de iniciarla en tu propio dispositivo.',
  'consent.can': 'Si lo permites, podrá:',
  'consent.canNew': 'Esta vez también quiere:',
  'consent.canAlready': 'Ya le habías permitido:',
  'consent.needed': 'necesario',
  'consent.resource': 'El acceso es para {resource}.',
  'consent.untick': 'Desmarca lo que no quieras permitir.',
  'consent.identityOnly':
    'Si lo permites, la aplicación solo sabrá quién eres: el identificador de tu cuenta aquí. No puede ver ni cambiar nada.',
  'consent.cannot': 'No podrá:',
  'consent.cannotPassword': 'Ver ni cambiar tu contraseña',
  'consent.cannotElse': 'Hacer nada que no hayas permitido aquí',
  'consent.cannotNote': '',
  'consent.deny': 'Rechazar',
  'consent.allow': 'Permitir',
  'consent.goesTo': 'En ambos casos continuarás en {host}.',
  'consent.device': 'una aplicación de este dispositivo',
  'consent.takeBack': 'Puedes retirar este permiso cuando quieras.',
  'consent.takeBackLink': 'Ver lo que has permitido',
  'consent.outOfDate': 'Esta página no estaba al día, así que no se ha decidido nada. Decide ahora.',
  'consent.undecided': 'Elige entre permitir y rechazar.',
  'consent.deviceHeading': 'Estás conectando un dispositivo. ¿Muestra este código?',
  'consent.deviceCheck':
    'Permítelo solo si tienes el dispositivo delante y muestra exactamente este código. Si alguien te lo ha enviado, recházalo.',
  'consent.deviceAfter':
    'Después puedes volver a tu dispositivo. Tu contraseña se queda aquí; el dispositivo nunca la ve.',

  'device.title': 'Conectar un dispositivo',
  'device.lead': 'Escribe el código que muestra tu dispositivo.',
  'device.fromLink':
    'El código venía en el enlace. Continúa solo si el dispositivo que tienes delante muestra exactamente este código.',
  'device.code': 'Código',
  'device.codeMeaning': 'Ocho letras. Da igual si son mayúsculas o minúsculas, con guion o sin él.',
  'device.submit': 'Continuar',
  'device.warning':
    '¿Alguien te ha enviado o dictado este código? Entonces no sigas: quien tenga el dispositivo entraría en tu cuenta.',
  'device.wrongCode':
    'Este código no es correcto, ya se ha usado o ha caducado. Mira otra vez tu dispositivo; si muestra otro código, escribe ese.',
  'device.outOfDate':
    'Esta página ha estado abierta demasiado tiempo, o tu navegador no acepta cookies. Envía el código otra vez.',
  'device.allowed': 'Tu dispositivo está conectado',
  'device.allowedMessage':
    'Ya puedes volver a él: continúa por sí solo en unos segundos. Puedes cerrar esta página.',
  'device.later': '¿Has cambiado de idea? Puedes desconectarlo cuando quieras.',
  'device.laterLink': 'Ver tus aplicaciones conectadas',
  'device.denied': 'No se ha conectado nada',
  'device.deniedMessage': 'El dispositivo no tendrá acceso a tu cuenta. Puedes cerrar esta página.',

  'authorizations.title': 'Aplicaciones conectadas',
  'authorizations.lead':
    'Estas aplicaciones pueden usar tu cuenta. Si desconectas una, su acceso termina de inmediato.',
  'authorizations.none': 'No hay aplicaciones conectadas',
  'authorizations.noneMessage':
    'Cuando permites que una aplicación use tu cuenta, aparece aquí y puedes retirarle el permiso.',
  'authorizations.can': 'Puede:',
  'authorizations.identityOnly': 'Sabe quién eres, y no puede ver ni cambiar nada.',
  'authorizations.since': 'Conectada desde el {date}',
  'authorizations.renewed': 'Última actividad: {time}',
  'authorizations.idle': 'Ahora mismo no tiene acceso, pero puede volver a conectarse sin preguntarte.',
  'authorizations.device': 'dispositivo',
  'authorizations.trusted': 'parte de este sitio',
  'authorizations.revoke': 'Desconectar',
  'authorizations.revokeAll': 'Desconectar todas…',
  'authorizations.revokeAllMeaning':
    'Todas las aplicaciones y dispositivos pierden el acceso de inmediato y tienen que volver a pedirte permiso.',
  'authorizations.revokeAllConfirm': 'Sí, desconectar todas',
  'authorizations.revoked': 'La aplicación se ha desconectado y su acceso ha terminado.',
  'authorizations.revokedAll': 'Todas las aplicaciones se han desconectado y su acceso ha terminado.',

  'error.client':
    'No has hecho nada mal: el fallo es de la aplicación. Vuelve a ella e inténtalo de nuevo; si se repite, envía a quienes la hacen los detalles de abajo.',
  'error.site':
    'No has hecho nada mal: el fallo es de este sitio. Inténtalo de nuevo; si se repite, comunica a este sitio el número de abajo.',
  'error.unknownClient': 'No conocemos esta aplicación',
  'error.unknownClientMessage':
    'La aplicación que te ha enviado aquí no está registrada en este sitio, o se ha eliminado.',
  'error.wrongRequest': 'La aplicación ha hecho una petición incorrecta',
  'error.wrongRequestMessage':
    'La aplicación que te ha enviado aquí ha hecho una petición que este sitio no puede aceptar.',
  'error.unauthorizedClientMessage':
    'La aplicación que te ha enviado aquí ha pedido algo para lo que no está registrada.',
  'error.invalidScopeMessage':
    'La aplicación que te ha enviado aquí ha pedido un permiso que no existe o que no puede tener.',
  'error.responseTypeMessage':
    'La aplicación que te ha enviado aquí quiere conectarse de una forma que este sitio no ofrece.',
  'error.server': 'Algo ha fallado aquí',
  'error.serverMessage': 'Este sitio ha tenido un problema.',
  'error.unavailable': 'Inténtalo de nuevo en un momento',
  'error.unavailableMessage': 'Este sitio no puede responder ahora mismo.',
  'error.unavailableHint':
    'No has hecho nada mal y no se ha perdido nada: vuelve a cargar la página dentro de unos segundos.',
  'error.wrongForm': 'No se ha podido leer este formulario',
  'error.wrongFormMessage':
    'Lo que se ha enviado no es lo que envía nuestro formulario, así que no se ha cambiado nada.',
  'error.wrongFormHint': 'Vuelve atrás, recarga la página e inténtalo de nuevo.',
  'error.notFound': 'Aquí no hay nada',
  'error.notFoundMessage': 'La página no existe o pertenece a otra persona.',
  'error.notFoundHint': 'Comprueba la dirección y que has iniciado sesión con la cuenta correcta.',
  'error.conflict': 'Alguien se ha adelantado',
  'error.conflictMessage': 'Lo mismo se ha cambiado en el mismo momento, así que tu cambio no se ha hecho.',
  'error.conflictHint': 'Vuelve atrás, recarga la página y mira cómo está ahora.',
  'error.tooLarge': 'Es demasiado',
  'error.tooLargeMessage':
    'Lo que se ha enviado es más grande de lo que permite nuestro formulario, así que no se ha cambiado nada.',
  'error.tooLargeHint': 'Vuelve atrás, acórtalo e inténtalo de nuevo.',
  'error.tooMany': 'Demasiados intentos',
  'error.tooManyMessage':
    'Se ha intentado demasiadas veces en poco tiempo. Espera {time} e inténtalo de nuevo.',
  'error.tooManyHint': 'Esto evita que unas máquinas prueben contraseñas en las cuentas y en este sitio.',
  'error.refused': 'Eso no es posible',
  'error.refusedHint': 'No se ha cambiado nada.',
  'error.formOutOfDate': 'Este formulario no está al día. Abre la página otra vez y repite lo que hiciste.',
  'error.notDeveloper': 'Con tu cuenta no se pueden registrar aplicaciones en este sitio.',
  'error.trustedApplication':
    'Este sitio responde por esta aplicación. Pide a quienes lo llevan que la cambien.',
  'error.number': 'Número de esta petición: {id}',
  'error.details': 'Detalles para desarrolladores',
  'error.code': 'Error',
  'error.description': 'Descripción',

  'applications.title': 'Tus aplicaciones',
  'applications.register': 'Registrar una aplicación',
  'applications.none': 'Todavía no hay aplicaciones',
  'applications.noneMessage':
    'Registra una aplicación para que la gente pueda conectarla con su cuenta en {site}. Recibe un identificador propio y pregunta a cada persona antes de ver nada suyo.',
  'applications.registeredOn': 'registrada el {date}',
  'applications.confidential': 'confidencial',
  'applications.public': 'pública',
  'applications.saved': 'Tus cambios se han guardado.',
  'applications.deleted': 'La aplicación se ha eliminado y todos sus accesos han terminado.',
  'applications.registeredBefore': 'Esta aplicación ya estaba registrada: el formulario se envió dos veces.',
  'applications.lostSecret': 'Su secreto se mostró una sola vez. Si no lo tienes, crea uno nuevo abajo.',
  'applications.rotatedBefore':
    'Se creó un secreto nuevo hace un momento: el formulario se envió dos veces y no se creó ningún otro. Si no lo tienes, crea uno nuevo abajo.',
  'applications.tooMany': 'Tienes {count} aplicaciones y no puede haber más: elimina una que no necesites.',

  'application.edit': 'Editar',
  'application.secretNow': 'Copia ahora el secreto del cliente',
  'application.secretOnce':
    'Se muestra solo esta vez. Guárdalo en tu servidor, fuera del código y fuera de aplicaciones y navegadores.',
  'application.details': 'Detalles',
  'application.clientId': 'ID de cliente',
  'application.type': 'Tipo',
  'application.trusted': 'este sitio responde por ella',
  'application.redirectUris': 'URI de redirección',
  'application.noRedirectUris': 'ninguna',
  'application.mayAskFor': 'Puede pedir',
  'application.asksForNothing': 'solo saber quién es una persona',
  'application.getsAccessBy': 'Obtiene acceso mediante',
  'application.registered': 'Registrada',
  'application.authorizationEndpoint': 'Punto de autorización',
  'application.tokenEndpoint': 'Punto de tokens',
  'application.secret': 'Secreto del cliente',
  'application.secretMade': 'Creado el {time}',
  'application.secretEnds': 'Creado el {time}, sirve hasta el {end}',
  'application.secretCurrent': 'actual',
  'application.rotateOverlap':
    'Un secreto nuevo sustituye al actual, que sigue funcionando {span} más para que puedas cambiarlo sin cortes.',
  'application.rotateAtOnce': 'Un secreto nuevo sustituye al actual de inmediato.',
  'application.rotate': 'Crear un secreto nuevo',
  'application.delete': 'Eliminar esta aplicación',
  'application.deleteMeaning':
    'Todas las personas que la usan se desconectan de inmediato. No se puede deshacer.',
  'application.deleteButton': 'Eliminar…',
  'application.deleteHeading': '¿Eliminar {client}?',
  'application.deleteLead':
    'Todas las personas que la usan se desconectan de inmediato: sus tokens terminan y se olvida lo que le habían permitido. No se puede deshacer.',
  'application.keep': 'Conservarla',
  'application.deleteConfirm': 'Eliminar',

  'form.edit': 'Editar {client}',
  'form.notSaved': 'Todavía no se ha guardado nada.',
  'form.pleaseLook': 'Revisa esto:',
  'form.name': 'Nombre',
  'form.nameMeaning': 'La gente lo ve cuando tu aplicación pide acceso.',
  'form.type': 'Tipo',
  'form.confidential': 'Confidencial',
  'form.confidentialMeaning':
    'Funciona en un servidor tuyo y puede guardar allí un secreto. Recibe un secreto de cliente.',
  'form.public': 'Pública',
  'form.publicMeaning':
    'Funciona en los dispositivos de la gente, como aplicación o en el navegador, donde ningún secreto está seguro. No recibe ninguno.',
  'form.redirectUris': 'URI de redirección',
  'form.redirectUrisMeaning':
    'Adónde vuelve la gente, una por línea y completas: {web}. Para aplicaciones también {loopback} (cualquier puerto) o {scheme}.',
  'form.scopes': 'Qué puede pedir',
  'form.grantTypes': 'Cómo obtiene acceso',
  'form.register': 'Registrar',
  'form.save': 'Guardar los cambios',
  'form.cancel': 'Cancelar',

  'grantType.authorization_code': 'Iniciar la sesión de las personas',
  'grantType.authorization_code.meaning':
    'La persona llega desde la aplicación, da permiso y vuelve. Lo habitual.',
  'grantType.refresh_token': 'Seguir conectada',
  'grantType.refresh_token.meaning':
    'La aplicación conserva su acceso cuando la persona se ha ido, hasta que se le retira.',
  'grantType.client_credentials': 'Actuar por sí misma',
  'grantType.client_credentials.meaning':
    'La aplicación obtiene un acceso propio, sin ninguna persona. Solo aplicaciones confidenciales.',
  'grantType.implicit': 'Iniciar la sesión sin código (antiguo)',
  'grantType.implicit.meaning':
    'Antiguo, para aplicaciones que no pueden hacerlo de otra forma: los tokens pasan por la barra de direcciones del navegador.',
  'grantType.password': 'Pedir contraseñas (antiguo)',
  'grantType.password.meaning':
    'Antiguo, para aplicaciones que no pueden hacerlo de otra forma: ven las contraseñas de las personas.',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'Conectar dispositivos',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'Para televisores, impresoras y líneas de comandos: la persona escribe un código corto en otro dispositivo y da permiso allí.',
};
