import type { Messages } from './en.js';

export const es: Messages = {
  'layout.navigation': 'Tu cuenta',
  'layout.applications': 'Tus aplicaciones',
  'layout.logOut': 'Cerrar sesión',
  'layout.loggedInAs': 'Has iniciado sesión como {user}',
  'layout.refused': 'Error: {title}',
  'layout.language': 'Idioma',

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
  'login.toGoOn': 'Para continuar a {client}',
  'login.forgot': '¿Has olvidado la contraseña?',
  'login.signUp': '¿Aún no tienes cuenta? Regístrate',

  'logout.title': 'Cerrar sesión',
  'logout.heading': '¿Cerrar la sesión?',
  'logout.loggedInAs': 'Has iniciado sesión como {user}.',
  'logout.stay': 'Seguir conectado',
  'logout.submit': 'Cerrar sesión',
  'endSession.byClient': '{client} pregunta si también quieres cerrar la sesión en {site}.',
  'endSession.here': '¿Quieres cerrar la sesión en {site}?',
  'endSession.meaning':
    'Se avisa a las aplicaciones y los sitios en los que has entrado con esta cuenta, y también cierran tu sesión.',
  'endSession.done': 'Has cerrado la sesión',
  'endSession.nobody': 'Ya no hay ninguna sesión abierta aquí.',
  'endSession.telling': 'Se está avisando a las aplicaciones y los sitios en los que habías entrado.',
  'endSession.back': 'Volver a {client}',

  'formPost.title': 'Un momento',
  'formPost.message': 'Estás volviendo a {client}.',
  'formPost.goOn': 'Continuar',
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

  'openid.openid': 'Iniciar tu sesión con tu cuenta de aquí',
  'openid.profile': 'Ver tu nombre, tu foto y los demás datos de tu perfil',
  'openid.email': 'Ver tu dirección de correo electrónico',
  'openid.address': 'Ver tu dirección postal',
  'openid.phone': 'Ver tu número de teléfono',
  'openid.offline_access': 'Mantener este acceso mientras no la usas',
  'claim.name': 'Ver tu nombre completo',
  'claim.family_name': 'Ver tus apellidos',
  'claim.given_name': 'Ver tu nombre de pila',
  'claim.middle_name': 'Ver tu segundo nombre',
  'claim.nickname': 'Ver tu apodo',
  'claim.preferred_username': 'Ver el nombre de usuario por el que prefieres que te llamen',
  'claim.profile': 'Ver la dirección de tu página de perfil',
  'claim.picture': 'Ver tu foto',
  'claim.website': 'Ver la dirección de tu sitio web',
  'claim.gender': 'Ver tu género',
  'claim.birthdate': 'Ver tu fecha de nacimiento',
  'claim.zoneinfo': 'Ver tu zona horaria',
  'claim.locale': 'Ver tu idioma y región',
  'claim.updated_at': 'Ver cuándo se cambió tu perfil por última vez',
  'claim.email_verified': 'Ver si tu dirección de correo electrónico está comprobada',
  'claim.phone_number_verified': 'Ver si tu número de teléfono está comprobado',
  'claim.other': 'Ver lo que este sitio sabe de ti como «{claim}»',

  'consent.title': '¿Permitir el acceso a {client}?',
  'consent.heading': '{client} quiere usar tu cuenta',
  'consent.loggedInAs': 'Has iniciado sesión en {site} como {user}.',
  'consent.notYou': '¿No eres tú?',
  'consent.verified': 'Verificada',
  'consent.verifiedMeaning': '{site} ha comprobado quién está detrás de esta aplicación.',
  'consent.tooManyClients':
    'En un día solo puedes permitir un número limitado de aplicaciones que sean nuevas en este sitio y que nadie haya comprobado. No se ha perdido nada: permite esta otro día, a partir de mañana.',
  'consent.unverified': 'No verificada',
  'consent.unverifiedMeaning':
    '{site} no ha comprobado quién está detrás. Permítelo solo si conoces la aplicación y acabas de venir de ella.',
  'consent.deviceUnverifiedMeaning':
    '{site} no ha comprobado quién está detrás de esta aplicación. Permítelo solo si acabas de iniciarla en tu propio dispositivo.',
  'consent.host': 'Su dirección:',
  'consent.aDevice': 'en un dispositivo',
  'consent.registered': 'Registrada aquí: {date}',
  'consent.registeredBy': 'Registrada aquí: {date}, por {owner}',
  'consent.handedOver': 'En manos de {owner} desde el {date}',
  'consent.registeredItself': 'Se registró aquí por sí misma: {date}',
  'consent.describesItself': 'Dice quién es en {url}',
  'consent.onDevice':
    'Seguirás en una aplicación de este dispositivo, y cualquiera de ellas podría hacerse pasar por {client}. Permítelo solo si acabas de iniciarla tú.',
  'consent.fewPeople': 'La usan menos de {count} personas',
  'consent.clientUri': 'Sitio web',
  'consent.policyUri': 'Política de privacidad',
  'consent.tosUri': 'Condiciones del servicio',
  'consent.can': 'Si lo permites, podrá:',
  'consent.canNew': 'Esta vez también quiere:',
  'consent.canAlready': 'Ya le habías permitido:',
  'consent.canInParticular': 'Y en concreto esto:',
  'consent.needed': 'necesario',
  'consent.highRisk': 'Puede causar daño',
  'consent.highRiskMeaning': 'Lo que puede causar daño no está marcado. Márcalo solo si quieres permitirlo.',
  'consent.more': 'Más',
  'consent.count': '{count, plural, one {# permiso} other {# permisos}}',
  'consent.includes': 'Incluye: {scope}',
  'consent.includedIn': 'Va incluido en «{scope}», aunque lo desmarques aquí.',
  'consent.mayHandOn': '{client} puede ceder esto a {other}.',
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
  'consent.askEachTime': 'Preguntarme cada vez',
  'consent.goesTo': 'En ambos casos continuarás en {host}.',
  'consent.device': 'una aplicación de este dispositivo',
  'consent.takeBack': 'Puedes retirar este permiso cuando quieras.',
  'consent.takeBackLink': 'Ver lo que has permitido',
  'consent.outOfDate': 'Esta página no estaba al día, así que no se ha decidido nada. Decide ahora.',
  'consent.undecided': 'Elige entre permitir y rechazar.',
  'consent.nothingTicked':
    'No has marcado nada, así que no se ha decidido nada. Marca lo que quieras permitir, o deniega.',
  'consent.notPicked': 'Falta elegir algo, así que no se decidió nada. Mira más abajo.',
  'choice.lifetime': '¿Cuánto tiempo puede tener acceso?',
  'choice.pick': 'Elige',
  'choice.none': 'Sin límite',
  'choice.missing': 'Elige una de estas opciones.',
  'choice.wrongNumber': 'Escribe un número de {min} a {max}.',
  'choice.nothing': 'Aquí no hay nada que puedas elegir, así que no se puede permitir.',
  'consent.confirmTitle': '¿Permitir de verdad {client}?',
  'consent.confirmHeading': '{client} tendría mucho poder',
  'consent.confirmLead': 'Si sigues, podrá:',
  'consent.confirmMeaning':
    '¿Te ha enviado aquí alguien que no conoces o un mensaje que no esperabas? Entonces deniega.',
  'consent.confirm': 'Permitir de todos modos',
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
  'device.notACode':
    'Un código tiene ocho letras y lo que has escrito tiene más o menos. Mira otra vez tu dispositivo y escríbelas todas.',
  'device.outOfDate':
    'Esta página ha estado abierta demasiado tiempo, o tu navegador no acepta cookies. Envía el código otra vez.',
  'device.allowed': 'Tu dispositivo está conectado',
  'device.allowedMessage':
    'Ya puedes volver a él: continúa por sí solo en unos segundos. Puedes cerrar esta página.',
  'device.later': '¿Has cambiado de idea? Puedes desconectarlo cuando quieras.',
  'device.laterLink': 'Ver tus aplicaciones conectadas',
  'device.denied': 'No se ha conectado nada',
  'device.deniedMessage': 'El dispositivo no tendrá acceso a tu cuenta. Puedes cerrar esta página.',

  'tokens.title': 'Tokens de acceso',
  'tokens.lead':
    'Con ellos, sus propios programas acceden a su cuenta. Quien tiene un token puede hacer lo que el token permite.',
  'tokens.none': 'No hay tokens de acceso',
  'tokens.noneMessage': 'Cree uno para un script, una tarea programada o una herramienta propia.',
  'tokens.new': 'Nuevo token',
  'tokens.newService': 'Nuevo token de servicio',
  'tokens.service': 'Tokens de servicio',
  'tokens.serviceLead':
    'No actúan en nombre de nadie. Cada persona que se ocupa de uno puede sustituirlo y revocarlo.',
  'tokens.serviceBadge': 'servicio',
  'tokens.blockedBadge': 'bloqueado',
  'tokens.isBlocked': 'Este sitio ha bloqueado el token.',
  'tokens.blockedSince':
    'No abre nada desde: {time}. En cuanto se desbloquee, volverá a funcionar tal como está.',
  'tokens.serviceApps': 'Sus aplicaciones que actúan por cuenta propia',
  'tokens.noService': 'No se ocupa de ningún token de servicio.',
  'tokens.made': 'Creado el {date}',
  'tokens.expires': 'Caduca el {date}',
  'tokens.expiresNever': 'No caduca',
  'tokens.used': 'Usado por última vez el {date}',
  'tokens.unused': 'Todavía no se ha usado',
  'tokens.revoke': 'Revocar',
  'tokens.revokeMeaning': 'Los programas que lo usan pierden el acceso de inmediato.',
  'tokens.revokeConfirm': 'Revocarlo',
  'tokens.revokeAll': 'Revocar todos…',
  'tokens.revokeAllMeaning':
    'Todos sus tokens de acceso personales terminan de inmediato y los programas que los usan pierden el acceso.',
  'tokens.revokeAllConfirm': 'Revocarlos todos',
  'tokens.revoked': '{client} ha terminado y ya no da acceso.',
  'tokens.revokedAll': 'Todos sus tokens de acceso personales han terminado.',
  'tokens.back': 'Todos los tokens de acceso',
  'tokens.name': 'Nombre',
  'tokens.nameMeaning': 'Para reconocerlo en la lista, por ejemplo «Copia nocturna».',
  'tokens.purpose': 'Para qué es (opcional)',
  'tokens.resource': 'Para qué API',
  'tokens.resourceOwn': 'La API de {site}',
  'tokens.scopesMeaning':
    'Marque solo lo que el programa necesita. Más tarde podrá retirar algo, pero no añadir nada.',
  'tokens.expiry': 'Caduca',
  'tokens.expiryIn': 'En {span}',
  'tokens.expiryOn': 'En una fecha',
  'tokens.expiryDate': 'Fecha',
  'tokens.expiryDateMeaning': 'Al final de ese día (UTC); como muy tarde, el {date}.',
  'tokens.expiryNever': 'Nunca',
  'tokens.expiryNeverMeaning':
    'Funciona hasta que alguien lo revoca: quien lo encuentre podrá usarlo hasta entonces.',
  'tokens.create': 'Crear el token',
  'tokens.confirmHeading': '¿Es esto lo que quiere?',
  'tokens.confirmLead': 'En malas manos, «{name}» podría causar daños:',
  'tokens.confirmMeaning': 'Quien tenga el token puede hacerlo sin preguntarle.',
  'tokens.confirm': 'Sí, crear el token',
  'tokens.nameMissing': 'Dé un nombre al token.',
  'tokens.nameLong': 'El nombre puede tener como máximo 100 caracteres.',
  'tokens.nameUnseen': 'El nombre tiene caracteres invisibles o nada que leer.',
  'tokens.purposeLong': 'El texto puede tener como máximo 500 caracteres.',
  'tokens.purposeUnseen': 'El texto tiene caracteres invisibles.',
  'tokens.scopesMissing': 'Marque al menos una cosa que pueda hacer.',
  'tokens.scopesElsewhere': 'Nada de lo que ha marcado pertenece a esta API.',
  'tokens.resourceMissing': 'Elija una API.',
  'tokens.expiryMissing': 'Elija cuándo caduca.',
  'tokens.expiryPast': 'Ese día ya ha pasado.',
  'tokens.expiryLate': 'Es demasiado tarde.',
  'tokens.tooMany': 'Puede haber {count} tokens a la vez, y ya los tiene. Revoque uno primero.',
  'tokens.refused': 'Este sitio no lo permite.',
  'tokens.madeTitle': 'Su nuevo token',
  'tokens.madeLead': 'Cópielo ahora: solo se muestra esta vez.',
  'tokens.value': 'Token',
  'tokens.try': 'Pruébelo en una terminal',
  'tokens.alreadyMade': 'Este token ya se creó y su valor ya se mostró. Si no lo copió, sustituya el token.',
  'tokens.formerUntil': 'El valor anterior funciona hasta {time}.',
  'tokens.madeLabel': 'Creado',
  'tokens.replacedLabel': 'Última sustitución',
  'tokens.usedLabel': 'Último uso',
  'tokens.purposeLabel': 'Para qué es',
  'tokens.rotate': 'Sustituir',
  'tokens.rotateMeaning':
    'Recibirá un valor nuevo. El actual funciona {span} más, para que pueda cambiar su programa.',
  'tokens.rotateAtOnce': 'Recibirá un valor nuevo. El actual termina de inmediato.',
  'tokens.rotateButton': 'Sustituirlo',
  'tokens.rotatedMeanwhile': 'Ya se sustituyó antes y el valor nuevo se mostró entonces.',
  'tokens.untick': 'Desmarque lo que quiera retirar. No se podrá volver a dar.',
  'tokens.ownersMeaning':
    'Cada propietario puede hacerlo todo aquí: sustituir el token, retirar permisos, ponerle fin.',
  'tokens.tooManyOwners': 'El token tiene tantos propietarios como puede tener.',
  'tokens.nowOwner': 'Ahora es propietario de este token.',
  'tokens.ownerRemoved': 'El propietario se ha quitado. Si conoce el token, sustitúyalo.',
  'tokens.lastOwner': 'Nadie más es propietario del token. Traspáselo o póngale fin.',
  'tokens.tooManyToAccept': 'Cuida de tantos tokens de servicio como puede. Deje uno o póngale fin primero.',
  'tokens.removeOwnerMeaning':
    'Esa persona ya no podrá ver ni cambiar el token. Si conoce su valor, sustitúyalo después.',
  'tokens.acceptMeaning':
    'Entonces podrá sustituir el token, retirar permisos y ponerle fin, como sus otros propietarios. No actúa por nadie, tampoco por usted.',
  'tokens.left': 'Ya no se ocupa de {client}.',
  'tokens.nowInvited':
    'Si esa persona existe aquí, encontrará la invitación en su página de tokens de acceso.',
  'tokens.personMeaning':
    'No se le dirá si esa persona existe aquí. Si existe, encontrará la invitación en su página de tokens de acceso y tendrá siete días para aceptarla.',
  'authorizations.revokeAllMeaningTokens':
    'Todas las aplicaciones y dispositivos pierden el acceso de inmediato y tienen que volver a preguntarle. Sus tokens de acceso personales también terminan.',

  'notify.newApp.subject': '{client} ya puede usar su cuenta en {site}',
  'notify.newApp.text': 'Ha permitido que la aplicación {client} use su cuenta en {site}.',
  'notify.moreScopes.subject': '{client} ya puede hacer más con su cuenta en {site}',
  'notify.moreScopes.text':
    'Ha permitido que la aplicación {client} haga más que antes con su cuenta en {site}.',
  'notify.newDevice.subject': 'Un dispositivo ya puede usar su cuenta en {site}',
  'notify.newDevice.text': 'Ha conectado un dispositivo con {client} a su cuenta en {site}.',
  'notify.newToken.subject': 'Nuevo token de acceso en {site}: {client}',
  'notify.newToken.text':
    'Se ha creado el token de acceso {client} en {site}. Quien lo tiene puede hacer lo que permite.',
  'notify.tokenExpiring.subject': 'Su token de acceso {client} en {site} caduca el {date}',
  'notify.tokenExpiring.text':
    'El token de acceso {client} en {site} funciona hasta el {date}. Si un programa aún lo necesita, sustitúyalo antes.',
  'notify.tokenLeaked.subject':
    'Su token de acceso {client} en {site} se ha visto en otro lugar y ha terminado',
  'notify.tokenLeaked.text':
    'Alguien ha notificado el token de acceso {client} en {site} porque se vio donde no debía. Ya no da acceso. Cree uno nuevo si un programa lo necesita y compruebe si ha ocurrido algo que no quería.',
  'notify.tokenBlocked.subject': 'Su token de acceso {client} está bloqueado en {site}',
  'notify.tokenBlocked.text':
    '{site} ha bloqueado su token de acceso {client}. No abre nada hasta que se desbloquee.',
  'notify.reuseDetected.subject': 'El acceso de {client} en {site} se ha terminado por su seguridad',
  'notify.reuseDetected.text':
    'Algo que solo puede usarse una vez se usó dos veces con {client} en {site}. Alguien pudo copiarlo, por lo que este acceso ha terminado. Vuelva a conectar la aplicación si aún la usa.',
  'notify.appBlocked.subject': 'Su aplicación {client} está bloqueada en {site}',
  'notify.appBlocked.text':
    '{site} ha bloqueado su aplicación {client}. No obtendrá acceso hasta que se retire el bloqueo.',
  'notify.notYou': 'Si no fue usted, termínelo aquí:',
  'notify.look': 'Véalo aquí:',

  'authorizations.title': 'Aplicaciones conectadas',
  'authorizations.lead':
    'Estas aplicaciones pueden usar tu cuenta. Si desconectas una, su acceso termina de inmediato.',
  'authorizations.none': 'No hay aplicaciones conectadas',
  'authorizations.noneMessage':
    'Cuando permites que una aplicación use tu cuenta, aparece aquí y puedes retirarle el permiso.',
  'authorizations.search': 'Buscar una aplicación',
  'authorizations.searchButton': 'Buscar',
  'authorizations.showAll': 'Mostrar todas',
  'authorizations.sort': 'Ordenar por',
  'authorizations.sortRenewed': 'última renovación',
  'authorizations.sortSince': 'conexión más reciente',
  'authorizations.sortName': 'nombre',
  'authorizations.noneFound': 'Ninguna aplicación conectada se llama así.',
  'authorizations.count': '{count, plural, one {Una aplicación conectada} other {# aplicaciones conectadas}}',
  'authorizations.page': 'Página {page} de {pages}',
  'authorizations.previous': 'Anterior',
  'authorizations.next': 'Siguiente',
  'authorizations.can': 'Puede:',
  'authorizations.identityOnly': 'Sabe quién eres, y no puede ver ni cambiar nada.',
  'authorizations.since': 'Conectada desde el {date}',
  'authorizations.renewed': 'Acceso renovado por última vez: {time}',
  'authorizations.idle': 'Ahora mismo no tiene acceso, pero puede volver a conectarse sin preguntarte.',
  'authorizations.waiting':
    'Has permitido un dispositivo que todavía no ha recogido su acceso. Si lo desconectas ahora, no lo tendrá.',
  'authorizations.device': 'dispositivo',
  'authorizations.trusted': 'parte de este sitio',
  'authorizations.blocked': 'Este sitio la ha bloqueado: por ahora no puede usar tu cuenta.',
  'authorizations.revoke': 'Desconectar',
  'authorizations.revokeAll': 'Desconectar todas…',
  'authorizations.revokeAllMeaning':
    'Todas las aplicaciones y dispositivos pierden el acceso de inmediato y tienen que volver a pedirte permiso.',
  'authorizations.revokeAllConfirm': 'Sí, desconectar todas',
  'authorizations.revoked': 'La aplicación se ha desconectado y su acceso ha terminado.',
  'authorizations.revokedAll': 'Todas las aplicaciones se han desconectado y su acceso ha terminado.',
  'authorizations.revokedNamed': '{client} se ha desconectado y su acceso ha terminado.',
  'authorizations.revokeMeaning': 'Su acceso termina de inmediato y tendrá que volver a pedirte permiso.',
  'authorizations.revokeMeaningTrusted':
    'Su acceso termina de inmediato. Es parte de este sitio y lo recibe de nuevo cuando la usas.',
  'authorizations.revokeConfirm': 'Sí, desconectar',
  'authorization.back': 'Todas las aplicaciones conectadas',
  'authorization.about': 'Acerca de la aplicación',
  'authorization.renewedAt': 'Acceso renovado por última vez',
  'authorization.renewedHow':
    'Es cuando recibió tokens por última vez; con ellos puede haber estado activa desde entonces.',
  'authorization.connectedSince': 'Conectada desde',
  'authorization.actsThrough': 'Usado a través de',
  'authorization.actedOn': 'por última vez el {day}',
  'authorization.resources': 'Acceso a',
  'authorization.scopes': 'Lo que puede hacer',
  'authorization.untick': 'Desmarca lo que quieras retirar. Lo demás sigue conectado.',
  'authorization.includedIn': 'Va incluido en «{scope}» mientras lo tenga.',
  'authorization.save': 'Guardar',
  'authorization.narrowed': '{client} puede hacer menos a partir de ahora.',
  'authorization.unchanged': 'No se ha retirado nada.',
  'authorization.changeMeaning': 'Aquí puedes elegir otra cosa. A partir de entonces usará eso.',
  'authorization.change': 'Cambiar',
  'authorization.rebound': '{client} usa a partir de ahora lo que has elegido.',
  'authorization.kept': 'No se ha cambiado nada.',
  'authorization.nothingLeft': 'Deja al menos uno marcado, o desconecta la aplicación más abajo.',
  'authorization.trustedScopes': 'Es parte de este sitio, así que obtiene todo esto sin preguntar.',
  'authorization.activity': 'Lo que ha hecho últimamente',
  'authorization.activityMeaning': 'Los últimos 30 días, lo más reciente primero.',
  'authorization.noActivity': 'Nada en los últimos 30 días.',
  'authorization.didGetAccess': 'Recibió acceso',
  'authorization.didGiveBack': 'Devolvió su acceso',
  'authorization.didAllow': 'Le permitiste algo',
  'authorization.didDeny': 'Le negaste algo',
  'authorization.didNarrow': 'Le retiraste algo',
  'authorization.didRebind': 'Elegiste otra cosa para ella',
  'authorization.didReport': 'La denunciaste',
  'authorization.didReplay': 'Algo que solo sirve una vez se usó dos veces, así que se puso fin a su acceso',
  'authorization.didDisconnect': 'La desconectaste',
  'authorization.didEnd': 'El sitio puso fin a su acceso',
  'authorization.times': '{count, plural, one {una vez} other {# veces}}',
  'authorization.didThrough': 'a través de {actors}',
  'authorization.from': 'desde {address}',
  'authorization.report': 'Denunciar esta aplicación',
  'authorization.reportMeaning':
    '¿Hace algo que no esperabas o se hace pasar por otra? Lo que escribas lo leerán las personas de este sitio, no la aplicación.',
  'authorization.reportLabel': '¿Qué ha pasado?',
  'authorization.reportSend': 'Enviar la denuncia',
  'authorization.reported': 'Gracias. Tu denuncia sobre {client} se ha enviado.',
  'authorization.reportEmpty': 'Escribe qué ha pasado.',
  'authorization.reportLong': 'Es demasiado largo. Se admiten {count} caracteres.',
  'authorization.reportMany': 'Has enviado muchas denuncias. Inténtalo de nuevo dentro de una hora.',
  'authorization.reportFailed': 'Ahora no se ha podido enviar la denuncia. Inténtalo de nuevo.',
  'authorization.signedIn': 'Sesión iniciada',
  'authorization.signedInSince': 'Sesión abierta allí desde',
  'authorization.signOut': 'Cerrar sesión allí',
  'authorization.signOutMeaning':
    'Se le comunica que has cerrado la sesión, y termina el acceso que venía con ella. Aquí sigues con la sesión abierta.',
  'authorization.signedInFrame': 'Se le comunica cuando cierras la sesión aquí.',
  'authorization.signedOut': 'Se comunica a {client} que has cerrado la sesión allí.',
  'authorization.signInThere': 'Iniciar sesión allí',
  'authorization.disconnect': 'Desconectarla',
  'authorization.gone': 'Ya no está registrada aquí.',

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
  'error.insecure': 'Esta página necesita una conexión segura',
  'error.insecureMessage':
    'Lo que enviaste nos llegó sin cifrar (sin https), así que no se hizo nada con ello.',
  'error.insecureHint':
    '¿La dirección empieza por https:? Entonces el error es de este sitio: avisa a quienes lo mantienen.',
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
  'error.requestOver': 'Esta solicitud ha terminado',
  'error.requestOverMessage': 'Ya se ha respondido, o ha esperado demasiado tiempo.',
  'error.requestOverHint': 'Vuelve a la aplicación y empieza de nuevo desde allí. No has hecho nada mal.',
  'error.denied': 'Acceso denegado',
  'error.deniedMessage': 'La aplicación no obtiene acceso a tu cuenta.',
  'error.unknownClientLink':
    '{site} no sabe quién está detrás de esta aplicación. Continúa solo si la conoces.',
  'error.goOn': 'Continuar a {host}',
  'error.home': 'Ir a {site}',
  'error.redirectUriMessage': '«{client}» quiere enviarte a una dirección que no tiene registrada aquí.',
  'error.redirectUri': 'Dirección solicitada',
  'error.ownClient': 'Esta aplicación es tuya: cambia sus URI de redirección',
  'error.refused': 'Eso no es posible',
  'error.refusedHint': 'No se ha cambiado nada.',
  'error.formOutOfDate': 'Este formulario no está al día. Abre la página otra vez y repite lo que hiciste.',
  'error.notDeveloper': 'Con tu cuenta no se pueden registrar aplicaciones en este sitio.',
  'error.trustedApplication':
    'Este sitio responde por esta aplicación. Pide a quienes lo llevan que la cambien.',
  'error.blocked': 'Este sitio ha bloqueado la aplicación',
  'error.blockedMessage':
    '«{client}» no obtiene aquí acceso a ninguna cuenta, así que no se envía a nadie allí.',
  'error.blockedHint':
    'No tienes que hacer nada. Si antes tenía acceso a tu cuenta, ese acceso ya no funciona.',
  'error.blockedApplication': 'Este sitio ha bloqueado esta aplicación. Pregunta a quienes lo llevan.',
  'error.pending': 'Esta aplicación aún no está aprobada',
  'error.pendingMessage':
    '«{client}» es nueva aquí. Hasta que este sitio la apruebe, solo puede usarla su propietario.',
  'error.pendingHint':
    'Tu cuenta no se ha tocado. Inténtalo más tarde o pregunta a quien hizo la aplicación.',
  'error.tokenOnPage': 'Esta página es para personas. Un programa con un token de acceso no puede usarla.',
  'error.number': 'Número de esta petición: {id}',
  'error.details': 'Detalles para desarrolladores',
  'error.code': 'Error',
  'error.description': 'Descripción',
  'error.detail': 'Causa (para desarrolladores)',

  'applications.title': 'Tus aplicaciones',
  'applications.register': 'Registrar una aplicación',
  'applications.none': 'Todavía no hay aplicaciones',
  'applications.noneMessage':
    'Registra una aplicación para que la gente pueda conectarla con su cuenta en {site}. Recibe un identificador propio y pregunta a cada persona antes de ver nada suyo.',
  'applications.registeredOn': 'registrada el {date}',
  'applications.confidential': 'confidencial',
  'applications.public': 'pública',
  'applications.saved': 'Tus cambios se han guardado.',
  'applications.savedWaits':
    'Tus cambios se han guardado. La aplicación vuelve a esperar la aprobación: hasta entonces solo sus propietarios pueden darle acceso.',
  'applications.savedUnverified':
    'Tus cambios se han guardado. La aplicación ya no está verificada: este sitio tendrá que verificarla de nuevo.',
  'applications.deleted': 'La aplicación se ha eliminado y todos sus accesos han terminado.',
  'applications.registeredBefore': 'Esta aplicación ya estaba registrada: el formulario se envió dos veces.',
  'applications.lostSecret': 'Su secreto se mostró una sola vez. Si no lo tienes, crea uno nuevo abajo.',
  'applications.rotatedBefore':
    'Se creó un secreto nuevo hace un momento: el formulario se envió dos veces y no se creó ningún otro. Si no lo tienes, crea uno nuevo abajo.',
  'applications.tooMany':
    'Tienes {count, plural, one {una aplicación} other {# aplicaciones}} y no puede haber más: elimina una que no necesites.',
  'applications.lists': 'Listas de aplicaciones',
  'applications.all': 'Todas las aplicaciones',
  'applications.selfRegistered': 'Registradas por sí mismas',
  'applications.noneHere': 'Aquí no hay aplicaciones.',
  'applications.next': 'Aplicaciones anteriores',
  'applications.listWaiting': 'Pendientes de aprobación',
  'applications.listBlocked': 'Bloqueadas',
  'applications.listUnverified': 'Sin verificar',
  'applications.listVerified': 'Verificadas',
  'applications.listUnused': 'Registradas por sí mismas, sin usar',
  'applications.previous': 'Aplicaciones posteriores',
  'applications.search': 'Buscar por nombre, ID de cliente o host',
  'applications.searchAll':
    'Buscar en todas las aplicaciones por el comienzo del nombre, ID de cliente, host o propietario',
  'applications.found': 'Encontradas: {count}',
  'applications.foundPart': 'Hay más que estas {count}: escribe algo más.',
  'applications.noneFound': 'Ninguna aplicación empieza así.',
  'applications.first': 'Volver a las más recientes',
  'applications.users': 'Usuarios: {count}',
  'applications.atLeast': '{count}+',
  'applications.lastUsed': 'último uso: {date}',
  'applications.notUsed': 'sin uso reciente',
  'applications.notUsedYet': 'sin uso todavía',
  'applications.owner': 'Propietario: {owner}',
  'applications.noOwner': 'registrada por este sitio',
  'applications.itself': 'se registró a sí misma',
  'applications.verified': 'verificada',
  'applications.oldSecretEnded': 'El secreto anterior ya no vale. Ahora solo funciona el actual.',
  'applications.changedMeanwhile':
    'La aplicación cambió después de que abrieras la página, así que no se hizo nada. Este es su estado actual.',
  'applications.nowVerified': 'La aplicación está verificada. Así se muestra cuando pide acceso.',
  'applications.nowUnverified': 'La aplicación ya no está verificada.',
  'applications.everyoneDisconnected':
    'Todas las personas están desconectadas y todos los accesos han terminado. La aplicación se queda y se puede permitir de nuevo.',
  'applications.blocked': 'bloqueada',
  'applications.nowBlocked': 'La aplicación está bloqueada. Desde ahora no obtiene nada.',
  'applications.nowUnblocked':
    'La aplicación ya no está bloqueada. Lo que se le permitió vuelve a funcionar.',
  'applications.awaitsApproval': 'pendiente de aprobación',
  'applications.nowApproved': 'La aplicación está aprobada. Ahora puede usarla todo el mundo.',
  'applications.deletedBefore':
    'La aplicación está eliminada. El formulario se envió dos veces, sin consecuencias.',

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
  'application.secretEnding': 'termina en {ending}',
  'application.secretUsed': 'último uso: {date}',
  'application.secretUnused': 'sin uso todavía',
  'application.secretUseUnknown': 'último uso desconocido',
  'application.oldSecretUsed': 'El secreto anterior se usó por última vez el {date}.',
  'application.oldSecretUnused': 'El secreto anterior nunca se usó.',
  'application.oldSecretUnknown': 'No se sabe cuándo se usó por última vez el secreto anterior.',
  'application.rotateOverlap':
    'Un secreto nuevo sustituye al actual, que sigue funcionando {span} más para que puedas cambiarlo sin cortes.',
  'application.rotateAtOnce': 'Un secreto nuevo sustituye al actual de inmediato.',
  'application.rotate': 'Crear un secreto nuevo',
  'application.nobody': 'Nadie la usa en este momento.',
  'application.people': '{count, plural, one {La usa una persona.} other {La usan # personas.}}',
  'application.peopleAtLeast': 'La usan al menos {count} personas.',

  'failures.title': 'Rechazado en el último día',
  'failures.lead':
    'Lo que este sitio ha rechazado a esta aplicación en las últimas 24 horas, y por qué. Parte de ello puede provocarlo cualquiera que conozca el ID de cliente.',
  'failures.wrong_client_secret':
    'El secreto del cliente no era correcto. Comprueba que tu servidor tiene el más reciente.',
  'failures.client_secret_missing':
    'No se envió ningún secreto del cliente. Envíalo por HTTP Basic, o como client_secret en el cuerpo.',
  'failures.wrong_authentication_method': 'Demostró quién es de otra manera que la registrada.',
  'failures.wrong_assertion_signature':
    'La firma de la client assertion no corresponde a ninguna de sus claves. Revisa la clave, su kid y el algoritmo.',
  'failures.assertion_expired':
    'La client assertion había caducado. Crea una nueva para cada petición y revisa tu reloj.',
  'failures.assertion_used': 'La client assertion ya se había usado. Da a cada una su propio jti.',
  'failures.assertion_invalid': 'Un claim de la client assertion no era correcto. La respuesta dice cuál.',
  'failures.client_keys_missing':
    'No hay ninguna clave con la que comprobar la client assertion. Registra una o crea un secreto nuevo.',
  'failures.client_keys_unavailable':
    'No se pudieron obtener sus claves de su jwks_uri. Asegúrate de que responde pronto, con un conjunto de claves.',
  'failures.client_certificate_missing':
    'No mostró ningún certificado. Envía sus solicitudes con TLS mutuo, y a las direcciones previstas para ello (mtls_endpoint_aliases) si las hay.',
  'failures.client_certificate_untrusted':
    'Su certificado ha caducado, aún no es válido o es de una autoridad en la que aquí no se confía. Usa uno nuevo, con toda su cadena.',
  'failures.client_certificate_wrong':
    'Su certificado no es aquel con el que está registrada. Comprueba el nombre que contiene o registra el certificado nuevo.',
  'failures.client_blocked': 'Está bloqueada. Pregunta a quienes gestionan este sitio.',
  'failures.client_not_approved': 'Espera aprobación. Hasta entonces solo puede usarla su propietario.',
  'failures.rate_limited':
    'Se preguntó demasiadas veces, o mal demasiadas veces. Espera lo que diga Retry-After.',
  'failures.public_client':
    'Es un cliente público: no tiene un secreto que enviar ni obtiene acceso para sí misma.',
  'failures.introspection_not_registered':
    'No puede preguntar qué vale un token. Quienes gestionan este sitio pueden permitirlo.',
  'failures.grant_type_unsupported': 'Este sitio no conoce el grant_type. Revisa cómo está escrito.',
  'failures.grant_type_not_registered':
    'No está registrada para el grant_type. Elígelo en «Editar» si se ofrece.',
  'failures.response_type_unsupported': 'Este sitio no ofrece el response_type. Envía response_type=code.',
  'failures.response_type_not_registered': 'No está registrada para el response_type.',
  'failures.response_mode_unsupported': 'El response_mode no va con el response_type. No lo envíes.',
  'failures.redirect_uri_missing':
    'Tiene varias URI de redirección y no envió ninguna. Envía la que quieras como redirect_uri.',
  'failures.redirect_uri_mismatch':
    'La redirect_uri no es ninguna de las de arriba. Debe ser igual hasta el último carácter.',
  'failures.redirect_uri_not_registered': 'No tiene ninguna URI de redirección. Añade una en «Editar».',
  'failures.signing_required':
    'La petición no estaba firmada y tiene que estarlo. Envíala como request object (RFC 9101).',
  'failures.request_object_invalid':
    'El request object era incorrecto: su firma, su hora o su contenido. El error dice cuál.',
  'failures.request_uri_unusable':
    'No se pudo obtener el request object de la request_uri: no está registrada, no respondió o respondió otra cosa. El error dice cuál.',
  'failures.dpop_proof_missing': 'Faltaba la prueba de la clave (DPoP). Envíala con cada petición.',
  'failures.dpop_proof_invalid':
    'La prueba de la clave (DPoP) era incorrecta: su firma, su hora o la dirección que contiene. El error dice cuál.',
  'failures.key_mismatch':
    'Un token o un código estaba ligado a otra clave que la de la prueba. Usa la clave con la que se pidió.',
  'failures.request_too_large': 'La petición era demasiado larga. Acorta state o pide menos permisos.',
  'failures.parameter_missing': 'Faltaba un parámetro. La respuesta dice cuál.',
  'failures.parameter_malformed':
    'Un parámetro estaba repetido o no era texto sin más. La respuesta dice cuál.',
  'failures.parameter_unsupported':
    'Este sitio no admite uno de los parámetros. La respuesta dice cuál: no lo envíes.',
  'failures.pushing_required':
    'La petición debe enviarse antes al punto de acceso de pushed authorization requests.',
  'failures.prompt_invalid': 'En prompt estaba none junto a otro valor. Envía none solo.',
  'failures.login_required':
    'Nadie había iniciado sesión, o la persona aún no había permitido nada a esta aplicación, y con prompt=none no se puede preguntar a nadie. Pregunta otra vez sin él.',
  'failures.consent_required':
    'La persona aún no lo había permitido, y con prompt=none no se puede preguntar a nadie. Pregunta otra vez sin él.',
  'failures.denied_by_user': 'Hubo personas que dijeron que no. Pide menos y explica antes para qué es.',
  'failures.pkce_missing': 'No se envió code_challenge. Usa PKCE con code_challenge_method=S256.',
  'failures.pkce_method_unsupported': 'El code_challenge_method tiene que ser S256.',
  'failures.pkce_malformed': 'El code_challenge no es la forma base64url de un hash SHA-256.',
  'failures.pkce_mismatch':
    'El code_verifier no corresponde al code_challenge. Guárdalo con la petición hasta canjear su código.',
  'failures.scope_malformed':
    'El scope estaba vacío o tenía caracteres que ningún permiso tiene. Separa los permisos con un espacio.',
  'failures.scope_unknown': 'Ese permiso no existe. Revisa cómo está escrito.',
  'failures.scope_not_registered': 'No puede pedir ese permiso. Elígelo en «Editar» si se ofrece.',
  'failures.scope_not_granted': 'Al renovar pidió un permiso que la persona no había dado. No envíes scope.',
  'failures.resource_missing': 'Este sitio quiere saber para qué recurso. Nómbralo con resource.',
  'failures.resource_unknown': 'Este sitio no conoce el resource.',
  'failures.resource_not_granted':
    'El resource no estaba permitido. Nómbralo ya en la petición de autorización.',
  'failures.resource_ambiguous':
    'Se permitieron varios recursos y un token es para uno. Nómbralo con resource.',
  'failures.resource_without_scopes': 'Ninguno de los permisos pertenece al resource.',
  'failures.authorization_details_invalid':
    'Los authorization_details están mal formados, son de un tipo que aquí no se conoce, o les faltan campos o tienen campos desconocidos.',
  'failures.authorization_details_not_registered':
    'No está registrada para un tipo de estos authorization_details.',
  'failures.authorization_details_not_granted':
    'Los authorization_details son más de lo permitido. Pide lo que se permitió o no los envíes.',
  'failures.code_unknown': 'Ese código no existe, o hace mucho que ya no. Canjéalo enseguida y sin cambios.',
  'failures.code_expired': 'El código había caducado. Canjéalo enseguida.',
  'failures.code_used':
    'El código se canjeó por segunda vez, lo que terminó su acceso. Canjea cada código una sola vez.',
  'failures.code_revoked':
    'La persona había terminado el acceso para el que era el código. Envíala otra vez.',
  'failures.code_of_other_client':
    'El código era para otra aplicación. Comprueba qué ID de cliente usa tu servidor.',
  'failures.code_redirect_uri_mismatch':
    'La redirect_uri no es la de la petición de autorización. Envía la misma con el código.',
  'failures.refresh_token_unknown':
    'Ese refresh token no existe, o hace mucho que ya no. Envía a la persona otra vez.',
  'failures.refresh_token_expired': 'El refresh token había caducado. Envía a la persona otra vez.',
  'failures.refresh_token_reused':
    'Un refresh token se usó por segunda vez, lo que terminó el acceso. Guarda siempre el nuevo y no renueves dos veces a la vez.',
  'failures.refresh_token_revoked': 'El acceso había terminado. Envía a la persona otra vez.',
  'failures.access_ended':
    'El acceso había terminado: la persona lo permitió por ese tiempo. Envíala a permitirlo de nuevo.',
  'failures.choice_lost':
    'Lo que la persona había elegido ya no es suyo, por ejemplo un espacio que ha dejado. Envíala a permitirlo de nuevo.',
  'failures.device_code_unknown':
    'Ese código de dispositivo no existe o es de otra aplicación. Empieza de nuevo.',
  'failures.device_code_expired':
    'El código de dispositivo caducó antes de que alguien lo permitiera. Empieza de nuevo.',
  'failures.device_code_used':
    'El código de dispositivo se usó por segunda vez, lo que terminó su acceso. Deja de preguntar cuando tengas los tokens.',
  'failures.device_code_revoked': 'El acceso del dispositivo había terminado. Empieza de nuevo.',
  'failures.token_of_other_client':
    'El token era de otra aplicación. Comprueba qué ID de cliente usa tu servidor.',
  'failures.token_not_revocable':
    'Este token no se puede retirar. Caduca por sí solo a los pocos minutos de emitirse.',
  'failures.subject_token_invalid':
    'Un token que quería intercambiar era desconocido, había caducado, se había retirado o estaba ligado a otra clave.',
  'failures.exchange_not_allowed':
    'No puede intercambiar este token: necesita mayExchange, y el token debe ser suyo, para un recurso suyo, o cedido por un cliente que la nombra en mayAct.',
  'failures.exchange_too_deep': 'El token ya procede de demasiados intercambios.',
  'failures.issuer_not_trusted': 'Este sitio no confía en el emisor de la aserción.',
  'failures.subject_not_trusted': 'Este sitio confía en el emisor de la aserción, pero no en este sujeto.',
  'failures.wrong_password': 'El nombre de usuario o la contraseña no eran correctos.',
  'failures.refused_by_policy':
    'Una regla de este sitio la rechazó. La respuesta dice cuál, si el sitio lo revela.',
  'failures.too_many_grants': 'La aplicación tiene tantas autorizaciones como puede tener a la vez.',
  'failures.other': 'Se rechazó por otro motivo. La respuesta dice más.',

  'application.disconnect': 'Desconectar a todas las personas',
  'application.disconnectMeaning':
    'Si un secreto o unos tokens han caído en malas manos: todos los accesos terminan de inmediato y la aplicación se queda. Crea antes un secreto nuevo.',
  'application.disconnectTokens':
    'Si unos tokens han caído en malas manos: todos los accesos terminan de inmediato y la aplicación se queda.',
  'application.disconnectButton': 'Desconectar a todas las personas…',
  'application.disconnectHeading': '¿Desconectar a todas las personas de {client}?',
  'application.disconnectLead':
    'Todos sus tokens terminan de inmediato, también los que tiene para sí misma, y se olvida lo que la gente le había permitido. Quien quiera usarla tendrá que permitirla de nuevo. No se puede deshacer.',
  'application.delete': 'Eliminar esta aplicación',
  'application.deleteMeaning':
    'Todas las personas que la usan se desconectan de inmediato. No se puede deshacer.',
  'application.deleteButton': 'Eliminar…',
  'application.deleteHeading': '¿Eliminar {client}?',
  'application.deleteLead':
    'Todas las personas que la usan se desconectan de inmediato: sus tokens terminan y se olvida lo que le habían permitido. No se puede deshacer.',
  'application.keep': 'Conservarla',
  'application.deleteConfirm': 'Eliminar',
  'application.copy': 'Copiar',
  'application.copied': 'Copiado',
  'application.copyByHand': 'Seleccionado: cópialo con el teclado o el menú',
  'application.users': 'Usuarios',
  'application.lastUsed': 'Último uso',
  'application.owner': 'Propietario',
  'application.authentication': 'Se identifica con',
  'application.bySecret': 'secreto del cliente',
  'application.byKeys': 'claves públicas',
  'application.byCertificate': 'certificado',
  'application.bySvid': 'certificado por su plataforma',
  'application.byNothing': 'nada (pública)',
  'application.refreshTokens': 'Refresh tokens',
  'application.refreshTokensStay': 'siguen siendo los mismos al usarse',
  'application.keys': 'Claves',
  'application.keysHere': 'Sus firmas se comprueban con estas claves públicas:',
  'application.keysThere': 'Sus firmas se comprueban con las claves públicas de {address}.',
  'application.keysChange': 'Para cambiarlas, edita la aplicación.',
  'application.endOld': 'Anular ya el secreto anterior',
  'application.endOldMeaning':
    'Cuando todo lo tuyo use el secreto actual, anula el anterior. Lo que aún lo use se rechazará de inmediato.',
  'application.try': 'Pruébala',
  'application.tryMeaning':
    'Mira la página de consentimiento de esta aplicación como la ve la gente, con todo lo que puede pedir. Si la permites, queda conectada a tu propia cuenta y puedes desconectarla después.',
  'application.tryOpen': 'Abrir la página de consentimiento en otra pestaña',
  'application.tryBack':
    'Después tu navegador va a {uri}, con un código en la dirección. Tu aplicación no lo pidió y lo rechazará, como debe ser: copia el código de la dirección. Si una aplicación en marcha lleva a otra página desde allí, párala un momento.',
  'application.tryRedeem':
    'En un plazo de {span}, estas líneas dan tokens por el código. Corresponden al enlace de esta página: si la vuelves a cargar, ambos son nuevos.',
  'application.tryStepByStep': 'Pruébala paso a paso',
  'application.code': 'Código para copiar',
  'application.codeMeaning': 'Con los valores de esta aplicación. No contiene secretos: vienen del entorno.',
  'application.verification': 'Verificación',
  'application.isVerified':
    'Este sitio declara que sabe quién está detrás de esta aplicación: cuando pide acceso, aparece como verificada. Si su propietario cambia el nombre, los URI de redirección, las claves o la descripción, le permite pedir más u obtener acceso de más maneras, o indica una página o un logotipo en otro host, deja de estarlo. También deja de estarlo si otra persona pasa a ser propietaria.',
  'application.isUnverified':
    'Cuando pide acceso, se advierte de que nadie ha comprobado quién está detrás de esta aplicación. Verifícala si sabes quién la hizo y si el nombre y los URI de redirección le corresponden.',
  'application.isSelfRegistered':
    'Se registró a sí misma: todo lo que dice de sí, empezando por su nombre, es solo lo que ella afirma. Una vez verificada, ya no puede cambiarse a sí misma.',
  'application.verify': 'Verificar',
  'application.unverify': 'Retirar la verificación',
  'application.changedSince': 'Ha cambiado desde la última vez que este sitio la revisó:',
  'application.isBlocked': 'Este sitio ha bloqueado la aplicación.',
  'application.blockedSince': 'No obtiene nada desde: {time}.',
  'application.blockedFor': 'Motivo:',
  'application.blockedHint':
    'Lo que se le permitió se conserva. Solo quienes llevan el sitio pueden desbloquearla, cambiarla o eliminarla.',
  'application.block': 'Bloquear esta aplicación',
  'application.blockMeaning':
    'Desde ese momento no obtiene nada y sus tokens dejan de funcionar. Lo que se le permitió se conserva, así que puedes deshacerlo.',
  'application.blockReason': 'Motivo (opcional)',
  'application.blockReasonHint': 'Lo lee el propietario de la aplicación.',
  'application.blockButton': 'Bloquear',
  'application.blockedHeading': 'Bloqueada',
  'application.unblockMeaning': 'En cuanto se desbloquee, todo lo que se le permitió volverá a funcionar.',
  'application.unblock': 'Desbloquear',
  'application.awaitsApproval': 'Pendiente de aprobación',
  'application.approveMeaning':
    'Hasta que la apruebes, solo su propietario puede darle acceso. Mira antes su nombre, sus URI de redirección, lo que puede pedir y cómo obtiene acceso.',
  'application.approve': 'Aprobar',
  'application.awaitsApprovalHint':
    'La aplicación espera la aprobación de quienes llevan este sitio. Hasta entonces solo tú puedes darle acceso, para probarla.',
  'application.deleteType': 'Para confirmar, escribe su nombre: {client}',
  'application.deleteTypeOr': 'También sirve su ID de cliente: {id}',
  'application.deleteMismatch': 'Ese no es su nombre, así que no se eliminó nada.',

  'owners.title': 'Propietarios',
  'owners.meaning':
    'Cada propietario puede hacer todo aquí: cambiar la aplicación, crear secretos nuevos y eliminarla.',
  'owners.you': 'usted',
  'owners.remove': 'Quitar…',
  'owners.leave': 'Dejarla…',
  'owners.invited': 'Invitaciones',
  'owners.waits': 'puede aceptar hasta el {date}',
  'owners.waitsToTake': 'puede hacerse cargo de ella hasta el {date}',
  'owners.withdraw': 'Retirar',
  'owners.invite': 'Invitar a alguien',
  'owners.person': 'Nombre de usuario o correo electrónico',
  'owners.personMeaning':
    'No se le dirá si esa persona existe aquí. Si existe, encontrará la invitación en su página de aplicaciones y tendrá siete días para aceptarla.',
  'owners.as': 'En calidad de',
  'owners.asOwner': 'Un propietario más',
  'owners.asTransfer': 'Propietario en mi lugar',
  'owners.asTransferMeaning':
    'En cuanto acepte, usted dejará de ser propietario. Los demás propietarios siguen siéndolo.',
  'owners.verifiedEnds':
    'Este sitio ha verificado la aplicación; eso termina en cuanto alguien acepte, y el sitio tendrá que verificarla de nuevo.',
  'owners.approvalEnds':
    'En cuanto alguien acepte, la aplicación volverá a esperar la aprobación. Hasta entonces solo sus propietarios podrán darle acceso.',
  'owners.inviteButton': 'Invitar',
  'owners.missing': 'Escriba quién es.',
  'owners.tooLong': 'Tiene más de 200 caracteres.',
  'owners.already': 'Esta persona ya es propietaria.',
  'owners.tooManyOwners': 'La aplicación ya tiene todos los propietarios que puede tener.',
  'owners.tooManyInvitations':
    'Ya hay cinco invitaciones abiertas. Retire una o espere a que alguien responda.',
  'owners.tooManyApplications':
    'Ya tiene todas las aplicaciones que puede tener. Deje o elimine una primero.',
  'owners.nowInvited': 'Si esa persona existe aquí, encontrará la invitación en su página de aplicaciones.',
  'owners.nowWithdrawn': 'La invitación se ha retirado.',
  'owners.nowAccepted': 'Ahora es propietario de esta aplicación.',
  'owners.nowDeclined': 'La invitación se ha rechazado.',
  'owners.nowRemoved': 'Se ha quitado al propietario. Si conoce un secreto de la aplicación, cree uno nuevo.',
  'owners.nowLeft': 'Ya no es propietario de la aplicación.',
  'owners.last': 'Nadie más es propietario de la aplicación. Traspásela o elimínela.',
  'owners.gone': 'Esa invitación ya no existe.',
  'owners.invitations': 'Invitaciones',
  'owners.toJoin': 'Le invitan a ser propietario.',
  'owners.toTake': 'Quieren traspasársela.',
  'owners.askedBy': 'Invitación de {person}.',
  'owners.until': 'Puede aceptar hasta el {date}.',
  'owners.joinHeading': '¿Ser propietario de {client}?',
  'owners.takeHeading': '¿Hacerse cargo de {client}?',
  'owners.acceptMeaning':
    'Los propietarios responden de lo que hace una aplicación. Acepte solo si conoce la aplicación y a quien le invita.',
  'owners.accept': 'Aceptar',
  'owners.decline': 'Rechazar',
  'owners.removeHeading': '¿Quitar a {person} de {client}?',
  'owners.removeMeaning': 'Esta persona ya no podrá ver ni cambiar la aplicación.',
  'owners.removeSecret': 'Si conoce el secreto, cree uno nuevo después.',
  'owners.removeConfirm': 'Quitar',
  'owners.leaveHeading': '¿Dejar {client}?',
  'owners.leaveMeaning': 'Ya no podrá verla ni cambiarla, a menos que otro propietario vuelva a invitarle.',
  'owners.leaveConfirm': 'Dejarla',

  'form.edit': 'Editar {client}',
  'form.notSaved': 'Todavía no se ha guardado nada.',
  'form.pleaseLook': 'Revisa esto:',
  'form.name': 'Nombre',
  'form.nameMeaning': 'La gente lo ve cuando tu aplicación pide acceso.',
  'form.kind': '¿Qué tipo de aplicación es?',
  'form.technical': 'Ajustes técnicos',
  'form.kind.web': 'Aplicación web',
  'form.kind.web.meaning': 'Funciona en tu servidor',
  'form.kind.browser': 'Aplicación de navegador',
  'form.kind.browser.meaning': 'Funciona en la página, sin servidor',
  'form.kind.native': 'Aplicación móvil o de escritorio',
  'form.kind.native.meaning': 'Funciona en el dispositivo del usuario',
  'form.kind.device': 'Dispositivo',
  'form.kind.device.meaning': 'No tiene navegador: el código se escribe en otro sitio',
  'form.kind.service': 'Servicio',
  'form.kind.service.meaning': 'Actúa por sí mismo, sin usuario',
  'application.asksNothing': 'Todavía no puede pedir nada',
  'application.asksNothingMeaning':
    'Esta aplicación no tiene ningún permiso marcado, así que los usuarios no pueden darle ninguno. Edítala y marca lo que puede pedir.',
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
  'form.outOfDate':
    'Esta página estuvo abierta demasiado tiempo, así que todavía no se ha guardado nada. Lo que escribiste sigue aquí: revísalo y envíalo otra vez.',
  'form.loggedOut': 'Tu sesión ha terminado',
  'form.loggedOutLead':
    'Todavía no se ha guardado nada y nada se ha perdido: lo que escribiste espera en esta página.',
  'form.loggedOutLink': 'Inicia sesión en otra pestaña',
  'form.loggedOutAfter':
    'Después vuelve a esta pestaña y envíalo otra vez. Antes de que se guarde podrás revisarlo todo.',
  'form.sendAgain': 'Enviar otra vez',
  'form.line': 'Línea {line}',
  'form.authentication': 'Cómo demuestra que es ella',
  'form.bySecret': 'Con un secreto del cliente',
  'form.bySecretMeaning': 'Una contraseña larga y aleatoria, que se crea aquí y se te muestra una sola vez.',
  'form.byKeys': 'Con claves que se introducen aquí',
  'form.byKeysMeaning':
    'Firma con su clave privada (private_key_jwt) y tú introduces aquí la pública. Aquí no se guarda nada secreto.',
  'form.byKeysAddress': 'Con claves en una dirección',
  'form.byKeysAddressMeaning':
    'Lo mismo, pero con las claves públicas en tu propio servidor (jwks_uri), donde puedes cambiarlas cuando quieras.',
  'form.jwks': 'Claves públicas',
  'form.jwksMeaning': 'Un conjunto de claves en JSON: {example}. Nunca una clave privada.',
  'form.jwksUri': 'Dirección de las claves públicas',
  'form.jwksUriMeaning': 'Por ejemplo, {example}. Se lee cuando la aplicación pide tokens.',
  'form.newSecretMeaning':
    'Si antes tenía claves, recibe un secreto nuevo, que se muestra una sola vez en la página siguiente.',
  'form.about': 'Más sobre la aplicación',
  'form.aboutMeaning':
    'Todo esto puede quedar vacío. La gente ve las páginas y el logotipo si están en el host de un URI de redirección, y en cualquier sitio cuando este sitio haya verificado la aplicación.',
  'form.aboutVerified':
    'Esta aplicación está verificada. Habrá que verificarla de nuevo si cambias el nombre, un URI de redirección, la forma en que demuestra que es ella o la descripción, si le permites pedir más u obtener acceso de más maneras, o si indicas una página o un logotipo en otro host.',
  'form.approvalEnds':
    'Esta aplicación volverá a esperar la aprobación si cambias el nombre, un URI de redirección, la forma en que demuestra que es ella o la descripción, si le permites pedir más u obtener acceso de más maneras, o si indicas una página o un logotipo en otro host. Hasta entonces solo sus propietarios podrán darle acceso.',
  'form.description': 'Descripción',
  'form.descriptionMeaning':
    'Para qué sirve, en una o dos frases. La gente la ve cuando la aplicación está verificada.',
  'form.logoUri': 'Logotipo',
  'form.logoUriMeaning': 'La dirección de una imagen cuadrada, por ejemplo {example}.',
  'form.pageMeaning': 'Por ejemplo, {example}.',

  'grantType.authorization_code': 'Pedir acceso a los usuarios',
  'grantType.authorization_code.meaning':
    'Los usuarios llegan aquí desde la aplicación, la autorizan y vuelven. Es lo que necesita la mayoría de las aplicaciones.',
  'grantType.refresh_token': 'Seguir conectada',
  'grantType.refresh_token.meaning':
    'La aplicación conserva su acceso cuando la persona se ha ido, hasta que se le retira.',
  'grantType.client_credentials': 'Actuar por sí misma',
  'grantType.client_credentials.meaning':
    'La aplicación obtiene un acceso propio, sin ninguna persona. Solo aplicaciones confidenciales.',
  'grantType.implicit': 'Pedir acceso a los usuarios, sin código (antiguo)',
  'grantType.implicit.meaning':
    'Antiguo, para aplicaciones que no pueden hacerlo de otra forma: los tokens pasan por la barra de direcciones del navegador.',
  'grantType.password': 'Pedir contraseñas (antiguo)',
  'grantType.password.meaning':
    'Antiguo, para aplicaciones que no pueden hacerlo de otra forma: ven las contraseñas de las personas.',
  'grantType.urn:ietf:params:oauth:grant-type:token-exchange': 'Intercambiar tokens',
  'grantType.urn:ietf:params:oauth:grant-type:token-exchange.meaning':
    'Actúa por personas a través de otra aplicación.',
  'grantType.urn:ietf:params:oauth:grant-type:jwt-bearer': 'Intercambiar aserciones',
  'grantType.urn:ietf:params:oauth:grant-type:jwt-bearer.meaning':
    'Obtiene acceso con un token de una plataforma en la que este sitio confía.',
  'grantType.urn:ietf:params:oauth:grant-type:device_code': 'Conectar dispositivos',
  'grantType.urn:ietf:params:oauth:grant-type:device_code.meaning':
    'Para televisores, impresoras y líneas de comandos: la persona escribe un código corto en otro dispositivo y da permiso allí.',

  'problem.nameMissing': 'La aplicación necesita un nombre.',
  'problem.nameTooLong': 'El nombre tiene más de {max, plural, one {un carácter} other {# caracteres}}.',
  'problem.nameInvisible': 'El nombre tiene caracteres invisibles o de control.',
  'problem.nameMarks': 'El nombre tiene demasiados signos encima o debajo de una letra.',
  'problem.namePicture': 'El nombre tiene un emoji, una marca de verificación u otro dibujo.',
  'problem.nameSentence': 'El nombre contiene una frase. Basta con un nombre.',
  'problem.nameScripts': 'Una palabra del nombre mezcla letras de escrituras distintas.',
  'problem.nameReserved': 'El nombre se podría tomar por {name}. Elige uno que no se confunda con él.',
  'problem.nameBadge':
    '«{word}» es lo que este sitio dice de una aplicación, así que ninguna puede llamarse así.',
  'problem.descriptionTooLong':
    'La descripción tiene más de {max, plural, one {un carácter} other {# caracteres}}.',
  'problem.descriptionInvisible': 'La descripción tiene caracteres invisibles o de control.',
  'problem.typeUnknown': 'El tipo es confidencial o pública.',
  'problem.publicCredentials':
    'Una aplicación pública no puede actuar por sí misma: no tiene con qué identificarse.',
  'problem.redirectUriMissing':
    'Hace falta al menos un URI de redirección, como https://app.example/callback.',
  'problem.redirectUriUnused':
    'Ninguna de las formas de acceso usa una URI de redirección. Quítalas o elige una que la use.',
  'problem.redirectUriTooMany': 'Hay más de {max} URI de redirección.',
  'problem.uriTooLong': 'Tiene más de {max, plural, one {un carácter} other {# caracteres}}.',
  'problem.uriCharacters': 'Tiene un espacio u otro carácter que debe codificarse con porcentaje.',
  'problem.uriWildcard':
    'Tiene un *. Los URI de redirección se comparan con exactitud, sin comodines: introduce cada uno.',
  'problem.uriNotAbsolute': 'No es una dirección completa, como https://app.example/callback.',
  'problem.uriNoScheme':
    'No empieza por un esquema. Escribe https://app.example/callback con https:// delante.',
  'problem.uriSchemeCharacter':
    'Su esquema contiene {character}. Un esquema solo tiene letras, cifras, «+», «-» y «.», y empieza por una letra.',
  'problem.uriFragment': 'Tiene un fragmento (#…), que un URI de redirección no puede tener.',
  'problem.uriScheme': 'No es posible una dirección con {scheme}.',
  'problem.uriUserinfo': 'Tiene un nombre de usuario o una contraseña delante del servidor.',
  'problem.uriHttp':
    'Sin TLS solo son posibles localhost, 127.0.0.1 y [::1]. Para los demás servidores, usa https: siempre.',
  'problem.uriPrivateScheme': 'El esquema de una app necesita un punto, como com.example.app:/callback.',
  'problem.uriQuery': 'Su consulta tiene {parameter}, que la propia respuesta añade.',
  'problem.pageNotAbsolute': 'No es una dirección completa, como https://app.example/about.',
  'problem.pageScheme': 'La dirección debe empezar por https://.',
  'problem.scopeUnknown': 'No existe el permiso {scope}.',
  'problem.grantTypeUnknown': 'El tipo de concesión {grantType} no se ofrece aquí.',
  'problem.grantTypeMissing': 'Elige al menos una forma de obtener acceso.',
  'problem.grantTypeOnlyRefresh':
    'Los tokens de renovación vienen con otra forma de obtener acceso. Elige también una.',
  'problem.authenticationUnknown': 'Elige cómo demuestra que es ella.',
  'problem.jwksMissing': 'Introduce las claves públicas.',
  'problem.jwksNoJson': 'Las claves no son JSON válido.',
  'problem.jwksNoSet': 'No es un conjunto de claves. Tiene esta forma: {"keys": [ … ]} (RFC 7517).',
  'problem.jwksCount':
    'El conjunto tiene {count, plural, one {una clave} other {# claves}}. Puede haber de 1 a {max}.',
  'problem.jwksTooLong': 'Las claves tienen más de {max, plural, one {un carácter} other {# caracteres}}.',
  'problem.jwksNoObject': 'Una clave del conjunto no es un objeto JSON.',
  'problem.jwksPrivate':
    'Es una clave privada o secreta, que solo su dueño puede tener. No la uses más: crea otra e introduce su mitad pública.',
  'problem.jwksMembers':
    'Una clave tiene un miembro de otro tipo que el que dicen RFC 7517 y RFC 7518, o uno que es un objeto.',
  'problem.jwksKind': 'Una clave es de un tipo (kty) distinto de RSA, EC y OKP.',
  'problem.jwksRsaSize': 'Una clave RSA tiene menos de 2048 o más de 8192 bits.',
  'problem.jwksUriMissing': 'Introduce la dirección de las claves públicas.',
  'problem.jwksUriNotUrl': 'La dirección de las claves no es un URL.',
  'problem.jwksUriParts':
    'La dirección de las claves tiene un nombre de usuario, una contraseña o un fragmento.',
  'problem.jwksUriScheme': 'La dirección de las claves debe empezar por https://.',

  'snippet.secret': 'CLIENT_SECRET viene del entorno',
  'snippet.key': 'CLIENT_PRIVATE_KEY viene del entorno: PKCS #8, en PEM',
  'snippet.certificate':
    'CLIENT_CERTIFICATE y CLIENT_KEY vienen del entorno: las rutas del certificado y de su clave, en PEM',
  'snippet.assertion': 'CLIENT_ASSERTION viene del entorno: un JWT firmado por tu aplicación (RFC 7523)',
  'snippet.svid': 'JWT_SVID viene del entorno: el JWT-SVID que SPIFFE ha dado a tu programa',
  'snippet.open': 'abre esta dirección en un navegador',
  'snippet.paste': 'el navegador vuelve al URI de redirección: copia el código de allí',
  'snippet.begin': 'envía a la persona a esta dirección y guarda los otros dos valores en su sesión',
  'snippet.finish': 'con la dirección completa a la que volvió la persona',
};
